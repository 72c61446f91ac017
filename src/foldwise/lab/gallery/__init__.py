"""The exhibits of the gallery, one file each; `fw.lab.show(name)` runs one."""
