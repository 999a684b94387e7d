/* empty.c - a shared library without anything in it. */
extern int gst_empty;
int gst_empty = 1;
