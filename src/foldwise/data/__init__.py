"""The rows a study is about: tables of any container, made canonical and named by their contents."""
