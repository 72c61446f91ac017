"""How the manual is built: `make docs` writes it to docs/_site, with a search that needs no server."""

from importlib.metadata import version as installed

project = "Foldwise"
author = "the Foldwise developers"
copyright = "the Foldwise developers, BSD-3-Clause"
release = version = installed("foldwise")

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_site", "_build", "_extra"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_block"]
myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
nitpicky = True

html_theme = "furo"
html_title = f"Foldwise {release}"
html_static_path = ["_static"]
html_extra_path = ["_extra"]  # report pages, by docs/make_examples.py
html_css_files = ["manual.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7fb8e0", "color-brand-content": "#7fb8e0"},
}
pygments_style = "tango"
pygments_dark_style = "native"
