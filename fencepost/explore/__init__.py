"""`fencepost explore`: sequences of acts that nobody wrote down, every one to a bound or as many as time allows; findings are scenarios."""
