/* Processes that wait for others. */
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/wait.h>

/* True in a process that must stay, so that the others of its namespace do. */
static int stays_first = 0;

static u64 waiting_signals = 1u << (SIGTERM - 1) | 1u << (SIGINT - 1);

static void block_signals(int how) { CALL4(rt_sigprocmask, how, &waiting_signals, 0, sizeof waiting_signals); }

/* Waits for a child, and for every other that is left to it, and ends as that child did. `passes_on`: also by a signal. */
static _Noreturn void end_as(int child, int passes_on) {
	int status = 0;
	for (;;) {
		long pid = CALL4(wait4, -1, &status, __WALL, 0);
		if (pid == child) break;
		if (pid < 0 && pid != -EINTR) end(125);
	}
	int signal = status & 0x7f;
	if (!signal) end(status >> 8 & 0xff);
	if (passes_on) {
		const struct rlimit64 none = {0, 0};
		CALL4(prlimit64, 0, RLIMIT_CORE, &none, 0);
		block_signals(SIG_UNBLOCK);
		CALL2(kill, CALL1(getpid, 0), signal);
	}
	end(128 + signal);
}

/* Goes on in a child, while this process only waits for it. */
static int go_on_in_child(int passes_on) {
	block_signals(SIG_BLOCK);
	const int child = make_child(0);
	if (child > 0) end_as(child, passes_on);
	block_signals(SIG_UNBLOCK);
	return child;
}

static long end_with_parent(void) { return CALL5(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }
