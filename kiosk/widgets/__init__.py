"""What the faces share: colours, big digits, the drawn board, times and words."""
