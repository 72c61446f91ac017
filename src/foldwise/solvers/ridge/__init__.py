"""Ridge, least squares, kernel ridge and Gaussian processes: all penalties from one decomposition."""
