"""Decision trees, forests and boosting: one fit holds many candidates."""
