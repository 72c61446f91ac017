"""Support vector machines: one kernel matrix for many candidates."""
