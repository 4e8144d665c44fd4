"""Records below data/calibrated, made anew from what the documents print."""
