/* A way between the standard streams and a socket. */
#include <linux/un.h>

/* As sys/socket.h has them, which no header of the kernel does. */
#define AF_UNIX 1
#define SOCK_STREAM 1
#define SHUT_WR 1

/* Passes on all bytes until there are no more of them, or nobody takes them. */
static void pass_on(int from, int to) {
	char bytes[65536];
	for (;;) {
		const long count = CALL3(read, from, bytes, sizeof bytes);
		if (count == -EINTR) continue;
		if (count <= 0) return;
		for (long done = 0; done < count;) {
			const long written = CALL3(write, to, bytes + done, count - done);
			if (written == -EINTR) continue;
			if (written <= 0) return;
			done += written;
		}
	}
}

/* Ends the program when the other side has said all. The end of the input ends only this side's half. */
static long talk(const char *path) {
	struct sockaddr_un place = {AF_UNIX, ""};
	if (!add(place.sun_path, place.sun_path + sizeof place.sun_path - 1, path)) return -ENAMETOOLONG;
	const int way = (int)CALL3(socket, AF_UNIX, SOCK_STREAM, 0);
	if (way < 0) return way;
	const long failed = CALL3(connect, way, &place, sizeof place);
	if (failed) return failed;
	const int child = make_child(0);
	if (child < 0) return child;
	if (child == 0) {
		end_with_parent();
		pass_on(0, way);
		CALL2(shutdown, way, SHUT_WR);
		end(0);
	}
	pass_on(way, 1);
	CALL2(kill, child, SIGKILL);
	end(0);
}
