/* Text, and what is said on standard error. */

static size length(const char *text) {
	size count = 0;
	while (text[count]) count++;
	return count;
}

static int is(const char *one, const char *other) {
	while (*one && *one == *other) one++, other++;
	return *one == *other;
}

static int begins_with(const char *text, const char *beginning) {
	while (*beginning && *text == *beginning) text++, beginning++;
	return !*beginning;
}

/* Adds text at an end and returns the new end. Null when there is no room for it, or no text before it. */
static char *add(char *at, const char *limit, const char *text) {
	while (at && *text) at = at < limit ? (*at = *text++, at + 1) : 0;
	if (at) *at = NUL;
	return at;
}

static char *add_number(char *at, const char *limit, unsigned long number) {
	char digits[24], *first = digits + sizeof digits - 1;
	*first = NUL;
	do *--first = (char)('0' + number % 10);
	while (number /= 10);
	return add(at, limit, first);
}

/* Null unless the whole text is a number. */
static const char *number_in(const char *text, unsigned long *number) {
	*number = 0;
	const char *at = text;
	for (; *at >= '0' && *at <= '9'; at++) *number = *number * 10 + (unsigned long)(*at - '0');
	return at == text || *at ? 0 : at;
}

static const char *meaning(long error) {
	switch (error) {
		case EPERM: return "Operation not permitted";
		case ENOENT: return "No such file or directory";
		case EACCES: return "Permission denied";
		case EBUSY: return "Device or resource busy";
		case ENODEV: return "The kernel does not have this file system";
		case ENOTDIR: return "Not a directory";
		case EINVAL: return "Invalid argument";
		case ENOSPC: return "No space left, or no more namespaces allowed";
		case EROFS: return "Read-only file system";
		case ENOMEM: return "Cannot allocate memory";
		case EAGAIN: return "Resource temporarily unavailable";
		case E2BIG: return "Argument list too long";
		case ENOEXEC: return "Exec format error";
		case ELOOP: return "Too many levels of symbolic links";
		case ENAMETOOLONG: return "File name too long";
		case ENOSYS: return "The kernel does not have this call";
		default: return 0;
	}
}

/* Says on standard error what failed. A path that is too long is cut. */
static void complain(const char *what, const char *where, long error) {
	char line[PATH_SIZE + 256], *limit = line + sizeof line - 2, *at = line;
	if (what) at = add(add(add(at, limit, "coppice-enter: "), limit, what), limit, *where ? " " : "");
	at = add(at, line + PATH_SIZE, where);
	at = add(at ? at : line + PATH_SIZE, limit, ": ");
	at = meaning(-error) ? add(at, limit, meaning(-error)) : add_number(add(at, limit, "error "), limit, (size)-error);
	*at++ = '\n';
	CALL3(write, 2, line, at - line);
}

static char *in_proc(char *path, size room, int pid, const char *name) {
	char *limit = path + room - 1;
	return add(add(add_number(add(path, limit, "/proc/"), limit, (size)pid), limit, "/"), limit, name);
}

static long write_text(const char *file, const char *text) {
	const int opened = open_at(file, O_WRONLY);
	if (opened < 0) return opened;
	/* The kernel takes a map only in one piece. */
	const long written = CALL3(write, opened, text, length(text));
	close_it(opened);
	return written < 0 ? written : 0;
}
