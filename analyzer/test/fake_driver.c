/*
 * fake_driver.c - as much of libcuda.so.1 as `gstrace doctor` asks for; with CRASH it dies when asked, with CUPTI it is a
 * libcupti of that number instead.
 */
#ifdef CUPTI
int cuptiGetVersion(unsigned int *version);

int cuptiGetVersion(unsigned int *version)
{
	*version = CUPTI;
	return 0;
}
#else
int cuDriverGetVersion(int *version);
int cuInit(unsigned int flags);

int cuDriverGetVersion(int *version)
{
#ifdef CRASH
	__builtin_trap();
#endif
	*version = 13000;
	return 0;
}

int cuInit(unsigned int flags)
{
	return flags == 0 ? 0 : 1;
}
#endif
