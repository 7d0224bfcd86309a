# The installed package.
