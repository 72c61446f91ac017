"""The numbers behind the pictures of a page: summaries in bins, never a row of the data."""
