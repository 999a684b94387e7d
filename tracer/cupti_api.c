/*
 * cupti_api.c - the search for a libcupti.
 *
 * Role      : inject.c opens CUPTI here; everything else calls through the table.
 * Method    : candidates in a fixed order; version checked before the subscription, because a CUPTI
 *             much older than the driver accepts a subscription and then the program dies.
 * Invariant : a library that is not used is closed, unless the program had loaded it.
 * Not here  : what is enabled (callbacks.c, activity_kinds.c).
 */
#include "tracer/cupti_api.h"
#include "tracer/old_glibc.h"
#include "tracer/format/cupti_places.h"
#include "tracer/linebuf.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *soname;
	uint32_t major;
} sonames[] = {
#define GST_X(soname, major) {soname, major},
	GST_CUPTI_SONAMES(GST_X)
#undef GST_X
};
#define SONAMES (sizeof(sonames) / sizeof(sonames[0]))

#define GST_X(folder) folder,
static const char *const home_folders[] = {GST_CUPTI_HOME_FOLDERS(GST_X)};
static const char *const folders[] = {GST_CUPTI_FOLDERS(GST_X)};
#undef GST_X
#define HOME_FOLDERS (sizeof(home_folders) / sizeof(home_folders[0]))
#define FOLDERS	     (sizeof(folders) / sizeof(folders[0]))

_Static_assert(GST_CUPTI_OLDEST == GST_CUPTI_VERSION_MIN, "doctor and we agree");

enum verdict { USED, NOT_THIS_ONE, HELD };

uint32_t gst_cupti_major(uint32_t version)
{
	if (version >= 130000) {
		return version / 10000;
	}
	return version >= GST_CUPTI_V_12_0 ? 12 : 11;
}

bool gst_cupti_may_be_silent(uint32_t version, uint32_t driver)
{
	return version < GST_CUPTI_V_12_0 && driver / 1000 > gst_cupti_major(version);
}

const char *gst_cupti_text(const struct gst_cupti *cupti, int result, char *buffer, size_t size)
{
	struct gst_linebuf line;
	const char *text = NULL;

	if (cupti->cuptiGetResultString && !cupti->cuptiGetResultString((uint32_t)result, &text) &&
	    text) {
		return text;
	}
	gst_linebuf_init(&line, buffer, size);
	gst_linebuf_add(&line, "error ");
	gst_linebuf_add_dec(&line, result);
	return buffer;
}

uint32_t gst_cupti_driver_version(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*get_version)(int *version);
	int version = 0;

	if (!driver) {
		return 0;
	}
	*(void **)&get_version = dlsym(driver, "cuDriverGetVersion");
	if (get_version && get_version(&version)) {
		version = 0;
	}
	dlclose(driver);
	return version > 0 ? (uint32_t)version : 0;
}

static bool look_up(struct gst_cupti *cupti, const char **missing)
{
#define GST_X(name, needed)                                    \
	*(void **)&cupti->name = dlsym(cupti->library, #name); \
	if ((needed) && !cupti->name) {                        \
		*missing = #name;                              \
		return false;                                  \
	}
	GST_CUPTI_FUNCTIONS(GST_X)
#undef GST_X
	return true;
}

static void say(struct gst_linebuf *why, const struct gst_cupti *cupti, const char *text,
		const char *more)
{
	/* Several of the places may be links to one library. */
	if (strstr(why->text, cupti->path)) {
		return;
	}
	if (why->used) {
		gst_linebuf_add(why, "; ");
	}
	gst_linebuf_add(why, cupti->path);
	gst_linebuf_add(why, text);
	gst_linebuf_add(why, more);
}

/* The newer call tells who holds CUPTI; it exists from 13.0 on. */
static int subscribe(struct gst_cupti *cupti, gst_cupti_callback_fn callback, void *user,
		     char *holder, size_t holder_size)
{
	struct gst_cupti_subscriber_params params = {
		.structSize = sizeof(params),
		.subscriberName = "gstrace",
		.oldSubscriberName = holder,
		.oldSubscriberSize = holder_size,
	};
	int result;

	holder[0] = '\0';
	if (!cupti->cuptiSubscribe_v2) {
		return cupti->cuptiSubscribe(&cupti->subscriber, callback, user);
	}
	result = cupti->cuptiSubscribe_v2(&cupti->subscriber, callback, user, &params);
	holder[holder_size - 1] = '\0';
	/* An unknown struct size or a driver without it: the old call still serves. */
	if (result == GST_CUPTI_ERROR_INVALID_PARAMETER ||
	    result == GST_CUPTI_ERROR_NOT_SUPPORTED ||
	    result == GST_CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT ||
	    result == GST_CUPTI_ERROR_API_NOT_IMPLEMENTED) {
		result = cupti->cuptiSubscribe(&cupti->subscriber, callback, user);
	}
	return result;
}

/* Judge the library just opened; says why not. */
static enum verdict try_library(struct gst_cupti *cupti, uint32_t max_major,
				gst_cupti_callback_fn callback, void *user, struct gst_linebuf *why)
{
	char holder[GST_CUPTI_OLD_SUBSCRIBER_NAME_MIN + 1];
	const char *missing = NULL;
	char number[32];
	Dl_info info;
	int result;

	if (!look_up(cupti, &missing)) {
		say(why, cupti, " lacks ", missing);
		return NOT_THIS_ONE;
	}
	if (dladdr(*(void **)&cupti->cuptiGetVersion, &info) && info.dli_fname) {
		struct gst_linebuf path;

		gst_linebuf_init(&path, cupti->path, sizeof(cupti->path));
		gst_linebuf_add(&path, info.dli_fname);
	}
	if (cupti->cuptiGetVersion(&cupti->version)) {
		say(why, cupti, " tells no version", NULL);
		return NOT_THIS_ONE;
	}
	if (cupti->version < GST_CUPTI_VERSION_MIN) {
		say(why, cupti, " is older than CUPTI 11.8", NULL);
		return NOT_THIS_ONE;
	}
	if (max_major && gst_cupti_major(cupti->version) > max_major) {
		say(why, cupti, " is newer than the driver", NULL);
		return NOT_THIS_ONE;
	}
	result = subscribe(cupti, callback, user, holder, sizeof(holder));
	if (!result) {
		return USED;
	}
	if (result == GST_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
		say(why, cupti, " is held by another tool", holder[0] ? ": " : NULL);
		gst_linebuf_add(why, holder);
		return HELD;
	}
	say(why, cupti, " refused: ", gst_cupti_text(cupti, result, number, sizeof(number)));
	return NOT_THIS_ONE;
}

/* @path: "" or a folder with its slash, then the file name. */
static enum verdict try_path(struct gst_cupti *cupti, const char *path, int mode,
			     uint32_t max_major, gst_cupti_callback_fn callback, void *user,
			     struct gst_linebuf *why)
{
	struct gst_linebuf name;
	enum verdict verdict;

	memset(cupti, 0, sizeof(*cupti));
	cupti->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | mode);
	if (!cupti->library) {
		return NOT_THIS_ONE;
	}
	gst_linebuf_init(&name, cupti->path, sizeof(cupti->path));
	gst_linebuf_add(&name, path);
	verdict = try_library(cupti, max_major, callback, user, why);
	if (verdict != USED) {
		dlclose(cupti->library);
		cupti->library = NULL;
	}
	return verdict;
}

static void put_folder(struct gst_linebuf *path, const char *pattern, uint32_t major)
{
	const char *mark = strchr(pattern, '%');

	if (!mark) {
		gst_linebuf_add(path, pattern);
		return;
	}
	gst_linebuf_add_bytes(path, pattern, (size_t)(mark - pattern));
	gst_linebuf_add_dec(path, major);
	gst_linebuf_add(path, mark + 1);
}

static enum verdict search(struct gst_cupti *cupti, const char *wanted, uint32_t max_major,
			   gst_cupti_callback_fn callback, void *user, struct gst_linebuf *why)
{
	const char *home = getenv("CUDA_HOME");
	enum verdict verdict;
	struct gst_linebuf path;
	char buffer[512];

	for (size_t i = 0; i < SONAMES; i++) {
		verdict = try_path(cupti, sonames[i].soname, RTLD_NOLOAD, max_major, callback, user,
				   why);
		if (verdict != NOT_THIS_ONE) {
			return verdict;
		}
	}
	if (wanted && wanted[0]) {
		verdict = try_path(cupti, wanted, 0, 0, callback, user, why);
		if (verdict == NOT_THIS_ONE && !why->used) {
			gst_linebuf_add(why, wanted);
			gst_linebuf_add(why, " (GSTRACE_CUPTI) cannot be loaded");
		}
		/* Asked for by name: nothing else is taken in its place. */
		return verdict;
	}
	for (size_t i = 0; i < SONAMES; i++) {
		if (max_major && sonames[i].major > max_major) {
			continue;
		}
		verdict = try_path(cupti, sonames[i].soname, 0, max_major, callback, user, why);
		if (verdict != NOT_THIS_ONE) {
			return verdict;
		}
		for (size_t f = 0; f < HOME_FOLDERS + FOLDERS; f++) {
			gst_linebuf_init(&path, buffer, sizeof(buffer));
			if (f >= HOME_FOLDERS) {
				put_folder(&path, folders[f - HOME_FOLDERS], sonames[i].major);
			} else if (home && home[0]) {
				gst_linebuf_add(&path, home);
				gst_linebuf_add(&path, home_folders[f]);
			} else {
				continue;
			}
			gst_linebuf_add(&path, sonames[i].soname);
			if (path.is_cut) {
				continue;
			}
			verdict = try_path(cupti, buffer, 0, max_major, callback, user, why);
			if (verdict != NOT_THIS_ONE) {
				return verdict;
			}
		}
	}
	return NOT_THIS_ONE;
}

bool gst_cupti_open(struct gst_cupti *cupti, const char *wanted, gst_cupti_callback_fn callback,
		    void *user, struct gst_cupti_reason *reason)
{
	struct gst_linebuf why;

	gst_linebuf_init(&why, reason->text, sizeof(reason->text));
	if (search(cupti, wanted, gst_cupti_driver_version() / 1000, callback, user, &why) ==
	    USED) {
		return true;
	}
	if (!why.used) {
		gst_linebuf_add(
			&why, "no libcupti found: looked for libcupti.so.13, .12 and .11.8 on the "
			      "loader's path, in CUDA_HOME, /usr/local/cuda*, /opt/cuda and "
			      "the system's folders; set GSTRACE_CUPTI to one");
	}
	return false;
}

void gst_cupti_close(struct gst_cupti *cupti)
{
	if (!cupti->library) {
		return;
	}
	cupti->cuptiUnsubscribe(cupti->subscriber);
	/* Not dlclose: CUPTI may have left threads and hooks behind. */
	cupti->library = NULL;
}
