/*
 * Carries out steps in the kernel, one after the other, and then becomes a program:
 *
 *     coppice-enter STEP… -- PROGRAM…
 *
 * Views and sandboxes need calls of the kernel that no common program makes, or that a dozen programs would have to make
 * one by one for each command. What is done, and in which order, is decided in TypeScript; see `steps.ts`. It has no
 * library, so that one small file runs on every Linux of an architecture. It gives no rights: everything here can be
 * done by whoever starts it.
 *
 *     try STEP                 does not end when that step fails
 *     end-with-parent          is killed when the process that started it ends
 *     mounts                   a mount table of its own; nothing that happens in it is seen elsewhere
 *     processes                process numbers of its own, shown in `/proc`; all of them end with the first one, which only waits
 *     users USERS GROUPS       users of its own, with these maps (lines of user_namespaces(7))
 *     overlay PLACE OPTIONS    mounts an overlay of folders
 *     bind FROM PLACE          shows a folder at another place, without what is mounted in it
 *     bind-all FROM PLACE      with what is mounted in it
 *     give FROM PLACE HOW MAP  without it, `ro` or `rw`, and with a map for the owners of its files
 *     seal PLACE               makes a folder read-only
 *     cover PLACE              mounts an empty folder that nobody can write
 *     uncover PLACE            removes a mount
 *     folder PLACE             goes to a folder
 *     write FILE TEXT          writes into a file of the kernel
 *     limit NAME NUMBER        open-files, processes, core-bytes or data-bytes, for each of the programs
 *     become NUMBER            becomes this user and group, for good and without any right
 *     answer-renames           renames folders where an overlay refuses to
 *     talk SOCKET              passes the standard streams on to a socket, and becomes no program
 *
 * Ends with 125 when a step fails and with 127 when the program cannot be started, after a line on standard error.
 */
#include "kernel.h"
#include "text.h"
#include "processes.h"
#include "namespaces.h"
#include "mounts.h"
#include "renames.h"
#include "talk.h"

static long limit(const char *name, const char *text) {
	size most;
	const int kind = is(name, "open-files")   ? RLIMIT_NOFILE
	                 : is(name, "processes")  ? RLIMIT_NPROC
	                 : is(name, "core-bytes") ? RLIMIT_CORE
	                 : is(name, "data-bytes") ? RLIMIT_DATA
	                                          : -1;
	if (kind < 0 || !number_in(text, &most)) return -EINVAL;
	const struct rlimit64 both = {most, most};
	return CALL4(prlimit64, 0, kind, &both, 0);
}



enum { UNKNOWN_STEP = 1 };

static const struct {
	const char *name;
	int count;
} steps[] = {
	{"end-with-parent", 0}, {"mounts", 0}, {"processes", 0}, {"users", 2}, {"overlay", 2},  {"bind", 2},
	{"bind-all", 2},        {"give", 4},   {"seal", 1},      {"cover", 1}, {"uncover", 1}, {"folder", 1},
	{"write", 2},           {"limit", 2},  {"become", 1},    {"answer-renames", 0},
	{"talk", 1},
};

/* How many words follow a step. Negative for a step that is not known. */
static int words_of(const char *name) {
	for (size at = 0; at < sizeof steps / sizeof *steps; at++)
		if (is(name, steps[at].name)) return steps[at].count;
	return -1;
}

static long take_step(const char *name, char **given) {
	if (is(name, "end-with-parent")) return end_with_parent();
	if (is(name, "mounts")) return own_mounts();
	if (is(name, "processes")) return own_processes();
	if (is(name, "users")) return own_users(given[0], given[1]);
	if (is(name, "overlay")) return overlay(given[0], given[1]);
	if (is(name, "bind")) return bind(given[0], given[1], 0);
	if (is(name, "bind-all")) return bind(given[0], given[1], MS_REC);
	if (is(name, "give")) return give(given[0], given[1], given[2], given[3]);
	if (is(name, "seal")) return seal(given[0]);
	if (is(name, "cover")) return cover(given[0]);
	if (is(name, "uncover")) return CALL2(umount2, given[0], MNT_DETACH);
	if (is(name, "folder")) return CALL1(chdir, given[0]);
	if (is(name, "write")) return write_text(given[0], given[1]);
	if (is(name, "limit")) return limit(given[0], given[1]);
	if (is(name, "become")) return become(given[0]);
	if (is(name, "talk")) return talk(given[0]);
	return answer_renames();
}

/* Takes the steps up to `--` and returns what comes after it. */
static char **take_steps(char **at) {
	while (*at && !is(*at, "--")) {
		const int tries = is(*at, "try");
		if (tries) at++;
		const int count = *at ? words_of(*at) : -1;
		for (int word = 0; word <= count; word++)
			if (!at[word]) return 0;
		if (count < 0) return 0;
		const long failed = take_step(*at, at + 1);
		if (failed && !tries) {
			complain(*at, count > 0 ? at[1] : "", failed);
			end(125);
		}
		at += count + 1;
	}
	return *at ? at + 1 : 0;
}

/* The text lets a test see that the program was built from this source. */
static const char *const source = "source " SOURCE_HASH;

/* Becomes a program, which is looked for in PATH when its name has no folder. Returns the error. */
static long become_program(char **program, char **environment) {
	const char *folders = "/usr/bin:/bin", *name = *program;
	for (const char *at = name; *at; at++)
		if (*at == '/') return CALL3(execve, name, program, environment);
	for (char **one = environment; *one; one++)
		if (begins_with(*one, "PATH=")) folders = *one + 5;
	long failed = -ENOENT;
	while (*folders) {
		char path[PATH_SIZE], *at = path;
		while (*folders && *folders != ':' && at < path + PATH_SIZE - 2) *at++ = *folders++;
		*at++ = '/';
		if (add(at, path + PATH_SIZE - 1, name)) {
			const long error = CALL3(execve, path, program, environment);
			if (error != -ENOENT && error != -ENOTDIR) failed = error;
		}
		while (*folders && *folders++ != ':') {}
	}
	return failed;
}

_Noreturn void begin(size *stack) {
	char **words = (char **)(stack + 1);
	char **environment = words + stack[0] + 1;
	char **program = stack[0] > 0 ? take_steps(words + 1) : 0;
	if (!program || !*program) {
		complain("usage: coppice-enter STEP… -- PROGRAM…", source, -EINVAL);
		end(125);
	}
	if (stays_first) {
		const int child = go_on_in_child(0);
		if (child < 0) complain(*program, "", child), end(125);
	}
	complain(0, *program, become_program(program, environment));
	end(127);
}
