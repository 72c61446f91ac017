"use strict";
(() => {
  const root = document.documentElement;
  const main = document.querySelector("main");
  const lost = document.getElementById("lost");

  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // The server sends escaped text; only the parts that changed are put in.
  const shown = {};
  const show = (parts) => {
    for (const [id, text] of Object.entries(parts)) {
      if (shown[id] === text) { continue; }
      shown[id] = text;
      document.getElementById(id).innerHTML = text;
    }
  };

  if (main.dataset.phase === "finished") { return; }
  const source = new EventSource("events");
  source.addEventListener("message", (event) => {
    const now = JSON.parse(event.data);
    show(now.parts);
    main.dataset.phase = now.phase;
    lost.hidden = true;
    if (now.phase === "finished") {
      source.close();
      location.assign("report");
    }
  });
  source.addEventListener("error", () => { lost.hidden = false; });
})();
