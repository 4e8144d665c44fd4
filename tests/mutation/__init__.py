"""Plants faults in a copy of the checkout, one at a time, and counts those that tests catch."""
