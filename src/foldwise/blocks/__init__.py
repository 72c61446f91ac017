"""What is said and drawn, as plain values that know no medium; the room `show` renders them."""
