"""One file for each kind of check; each yields findings and changes nothing."""
