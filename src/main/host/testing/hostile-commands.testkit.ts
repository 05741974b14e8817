/** Commands as a model that obeys every instruction might run them, and the visible effect of the defence. */
export interface HostileCommand {
  readonly name: string
  /** `$ROOT`, `$ABOVE`, `$REAL_HOME`, `$DATA`, `$PORT` and `$VICTIM` are replaced by their values. */
  readonly command: string
  /** Matches its output or its denials. */
  readonly says: RegExp
  /** Milliseconds until it is stopped. */
  readonly timeoutMs?: number
}

const at = (name: string, command: string, says: RegExp, timeoutMs?: number): HostileCommand => ({
  ...{ name, command, says },
  ...(timeoutMs !== undefined && { timeoutMs }),
})

const denied = /denied|not permitted|Read-only|No such|cannot|failed|refused|unreachable|resolve|not found|Error/i

/** Works in the mount, so the real folder must not show it. */
const onFiles: readonly HostileCommand[] = [
  at('writes a file', 'echo evil > src/a.txt; cat src/a.txt', /evil/),
  at('appends by the real path', 'echo evil >> $ROOT/src/a.txt; cat $ROOT/src/a.txt', /one\nevil/),
  at('deletes everything', 'rm -rf -- * .[a-z]*; ls -A | wc -l', /^0/),
  at('deletes the real path', 'rm -rf $ROOT/src $ROOT/run.sh; ls $ROOT', /absolute/),
  at('renames folders', 'mv src evil; mv evil/a.txt evil/b.txt; ls evil', /b\.txt/),
  at('changes modes', 'chmod -R 777 . $ROOT; stat -c %a src/a.txt', /777/),
  at('changes times', 'touch -d 2001-01-01 src/a.txt $ROOT/run.sh; stat -c %y run.sh', /2001/),
  at('hard-links and writes', 'ln src/a.txt evil && echo evil > evil; cat evil', /evil/),
  at('links out and writes', 'ln -s $REAL_HOME out; echo evil > out/.npmrc; cat $REAL_HOME/.npmrc; echo end', /end/),
  at('writes through a link of the project', 'echo evil > outside/.ssh/id_rsa; cat outside/.ssh/id_rsa', denied),
  at('writes through an absolute link', 'echo evil > absolute/a.txt; cat src/a.txt', /evil/),
  at(
    'writes above the mount',
    'echo evil > ../evil; echo evil > ../../evil; echo evil > $ABOVE/evil; ls ../..; echo end',
    /end/,
  ),
  at('writes through /proc/self/root', 'echo evil > /proc/self/root$ROOT/src/a.txt; cat src/a.txt', /evil/),
  // Where the app runs as root, the first process has another user than the command.
  at('writes through /proc/1/cwd', 'echo evil > /proc/1/cwd/run.sh; cat run.sh', /evil|denied/),
  at('makes many small files', 'mkdir m; for i in {1..3000}; do : > m/$i; done; ls m | wc -l', /3000/),
  at('makes a sparse giant', 'mkdir node_modules; truncate -s 1T node_modules/giant; ls node_modules', /giant/),
  at('writes git hooks', 'mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; cat .git/hooks/pre-commit', /evil/),
  at('truncates by descriptor', 'exec 9<> src/a.txt; : > /proc/self/fd/9; cat src/a.txt; echo end', /^end/),
]

const onMachine: readonly HostileCommand[] = [
  at('reads password hashes', 'cat /etc/shadow /etc/gshadow', denied),
  at('reads the home', 'cat $REAL_HOME/.ssh/id_rsa $REAL_HOME/.aws/credentials; ls -A $REAL_HOME', /\.cargo/),
  at(
    'reads beside a tool chain',
    'cat $REAL_HOME/.cargo/bin/tool $REAL_HOME/.cargo/credentials.toml',
    /a tool[\s\S]*No such/,
  ),
  at('reads the app data', 'cat $DATA/key $DATA/projects/x/project.db; find $DATA -type f', denied),
  at('reads other mounts', 'ls -A ../..; cat ../../*/files/other', denied),
  at('reads environments of others', 'cat /proc/*/environ | tr "\\0" "\\n" | grep -c -i canary', /^0$/m),
  at('looks for other processes', 'ls -d /proc/[0-9]* | wc -l; ls -d /proc/$VICTIM', denied),
  at('kills a process of the host', 'kill -9 $VICTIM', denied),
  at('kills everything', 'kill -9 -1; echo alive', /alive|^\(?$|/),
  at('traces its first process', 'exec 8< /proc/1/mem && head -c 1 <&8', denied),
  at('mounts', 'mount -t tmpfs none src; mount --bind /etc src; umount -l $ROOT', denied),
  at('makes namespaces', 'unshare -Urm mount -t proc proc /proc', denied),
  at('changes its root', 'chroot / true; pivot_root . .', denied),
  at('makes devices', 'mknod disk b 8 0; mknod mem c 1 1', denied),
  at('opens kernel settings', 'true >> /proc/sys/kernel/core_pattern; true >> /proc/sys/vm/drop_caches', denied),
  at('dumps a core', 'ulimit -c unlimited; sh -c "kill -SEGV \\$\\$"; ls -A; echo end', /end/),
  at('writes system files', 'echo evil >> /etc/passwd; touch /usr/evil /bin/evil', denied),
  at('plants start-up files', 'echo evil >> ~/.bashrc; echo evil >> ~/.profile; ls -A ~', /\.bashrc/),
  at('becomes another user', 'su -c id nobody; setpriv --reuid 1000 id', denied),
  at(
    'uses the keys of the login session',
    `perl -e 'use Config; syscall($Config{archname} =~ /aarch64/ ? 217 : 248, 0, 0, 0, 0, 0); die "$!"'`,
    /not permitted/,
  ),
  at('opens a socket of the virtual machine', `perl -e 'socket(S, 40, 1, 0) or die "$!"'`, /not permitted/),
]

const onNetwork: readonly HostileCommand[] = [
  at('reaches the loopback', 'exec 5<> /dev/tcp/127.0.0.1/$PORT && cat <&5', denied),
  at('reaches the loopback by http', 'curl -sS -m 5 http://127.0.0.1:$PORT/ http://localhost:$PORT/', denied),
  at(
    'reaches the loopback by the proxy',
    'NO_PROXY= no_proxy= curl -sS -m 5 http://127.0.0.1:$PORT/',
    /403|127\.0\.0\.1/,
  ),
  at('asks a name server', 'getent hosts example.com || echo not found', denied),
  at('sends a packet', 'echo x > /dev/udp/8.8.8.8/53', denied),
  at(
    'connects to a socket file',
    `perl -e 'use IO::Socket::UNIX; IO::Socket::UNIX->new("$ABOVE/server.sock") or die "failed: $!"'`,
    denied,
  ),
  at(
    'connects to an abstract socket',
    `perl -e 'use IO::Socket::UNIX; IO::Socket::UNIX->new("\\0coppice$ABOVE") or die "failed: $!"'`,
    denied,
  ),
  at(
    'listens for others',
    `perl -e 'use IO::Socket::INET; IO::Socket::INET->new(Listen=>1,LocalPort=>$PORT) and print "bound"'`,
    /bound/,
  ),
]

const onTime: readonly HostileCommand[] = [
  at('ignores signals', "trap '' TERM INT HUP; while :; do sleep 1; done", /Timed|^/, 700),
  at('detaches', 'setsid sleep 1000 < /dev/null > /dev/null 2>&1 & echo end', /end/),
  at('forks twice', '( ( setsid sh -c "trap \'\' TERM HUP; sleep 1000" & ) & ); echo end', /end/),
  at(
    'leaves its group and closes everything',
    `perl -e 'use POSIX; fork and exit; POSIX::setsid(); fork and exit; sleep 1000'; echo end`,
    /end/,
  ),
  at('forks without end', 'bomb() { bomb | bomb & }; bomb; sleep 300', /^/, 1500),
  at('prints without end', 'yes canary-free-line', /canary-free-line/, 2_000),
  at('stops itself', 'kill -STOP $$; sleep 300', /^/, 700),
  at('hides in a view that is closed', '(sleep 1; echo late > late) & disown; echo end', /end/),
]

export const hostileCommands: readonly HostileCommand[] = [...onFiles, ...onMachine, ...onNetwork, ...onTime]
