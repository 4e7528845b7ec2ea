"""The parts of the explorer: tables as columns, and the page that holds them."""
