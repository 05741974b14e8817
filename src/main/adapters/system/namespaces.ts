import { systemPath, systemProgram } from './system-programs.ts'

/** A folder that another user gets as its own. On disk everything in it stays root's. */
export interface GivenFolder {
  readonly from: string
  /** Where the namespace has it. May be `from` itself. */
  readonly to: string
  readonly writable: boolean
}

export interface NamespaceScript {
  /** Bash. It runs with every capability in its namespace, and must end with the program that it starts. */
  readonly script: string
  readonly parameters: readonly string[]
  /** Only for another user. */
  readonly given?: readonly GivenFolder[]
}

/** The user of root's commands, as the whole machine sees it. No system gives this number to anybody. */
export const foreignUser = 65533
/** The signal for whoever waits for a namespace, which it ends with. The waiting process blocks SIGTERM. */
export const endsNamespaces = 'SIGKILL'
/** The number that such a command sees. It is `nobody`, so that programs which look for a name find one. */
export const shownUser = 65534

/**
 * A command line that runs a script in namespaces of its own. Nobody else sees their mounts, and all their processes
 * end with the first one, which ends with the app.
 *
 * The first process only waits, since others in a namespace cannot signal it. It is bash, which passes exported
 * functions on. `--norc` is needed because bash reads the person's start-up file when its input is a socket, as Node's
 * pipes are.
 *
 * The script's own uid is 0 in the namespace. For `other`, the namespace has two users: root, who sets everything up,
 * and `shownUser`, whom the machine knows as `foreignUser`. For `everyone`, which only root can be, users stay as they are.
 */
export function inNamespacesOf(
  user: { readonly kind: 'own' | 'other' | 'root' | 'unknown' | 'everyone' },
  { script, parameters, given = [] }: NamespaceScript,
): readonly string[] {
  const outer = [...bounded, ...(keepsUsers.has(user.kind) ? [] : ['--user', '--map-root-user']), ...processes]
  const bash = [systemProgram('bash'), '--noprofile', '--norc', '-c']
  if (user.kind !== 'other') return [...outer, ...bash, withSystemPath(script), 'bash', ...parameters]
  const folders = given.flatMap(({ from, to, writable }) => [writable ? '0' : '1', from, to])
  const inner = [withSystemPath(script), ...parameters]
  return [...outer, ...bash, withSystemPath(asOtherUser), 'bash', String(given.length), ...folders, ...inner]
}

const keepsUsers: ReadonlySet<string> = new Set(['other', 'everyone'])
const bounded = [systemProgram('setpriv'), '--pdeathsig', 'KILL', '--', systemProgram('unshare')]
const processes = [
  ...['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--'],
]

/** `callers` is the PATH that the script must set again for the program that it starts. */
function withSystemPath(script: string): string {
  return `callers=$PATH; PATH=${systemPath}:$PATH; ${script}`
}

/**
 * Writes the maps of both namespaces, and makes the calls of the kernel that no program of older systems makes: open_tree,
 * mount_setattr, move_mount. The kernel takes a map in one piece.
 */
const giveWithPerl = `my ($owners, $inside, @places) = @ARGV;
sub users { my ($keeper, $map) = @_; for my $kind ("uid_map", "gid_map") {
open(my $file, ">", "/proc/$keeper/$kind") or die "$kind: $!\\n"; syswrite($file, $map) or die "$kind: $!\\n"; } }
users($owners, "0 ${foreignUser} 1\\n${foreignUser} 0 1\\n"); users($inside, "0 0 1\\n${shownUser} ${foreignUser} 1\\n");
open(my $users, "<", "/proc/$owners/ns/user") or die "$!\\n";
while (@places) { my ($fixed, $from, $to) = splice(@places, 0, 3); $fixed += 0; my $none = "";
my $tree = syscall(428, -100, $from, 0x80001); die "open_tree $from: $!\\n" if $tree < 0;
my $how = pack("Q4", 0x100000 | $fixed, 0, 0, fileno($users));
die "mount_setattr $from: $!\\n" if syscall(442, $tree, $none, 0x1000, $how, 32) < 0;
die "move_mount $to: $!\\n" if syscall(429, $tree, $none, -100, $to, 4) < 0; }`

/**
 * Runs as real root. A waiting process keeps each new namespace of users until it is used: one that says who the given
 * folders belong to, and one for the script.
 *
 * The map of the folders is a swap. What the script's root makes, such as an overlay's whiteouts, needs an owner on disk.
 */
const asOtherUser = `set -eo pipefail
count=$1; shift; folders=("\${@:1:count*3}"); shift $((count*3))
exec {waiting}<> <(:)
exec {first}< <(exec unshare --user -- sh -c 'echo; read -r _' <&"$waiting" 2>&1); owners=$!
exec {second}< <(exec unshare --user -- sh -c 'echo; read -r _' <&"$waiting" 2>&1); inside=$!
for keeper in "$first" "$second"; do read -r said <&"$keeper"; if [ -n "$said" ]; then echo "$said" >&2; exit 125; fi; done
if command -v perl > /dev/null; then perl -e '${giveWithPerl}' "$owners" "$inside" "\${folders[@]}" < /dev/null
else echo 'perl is not installed, and it must map the owners of files' >&2; exit 125; fi
exec {users}< "/proc/$inside/ns/user"
kill -KILL "$owners" "$inside"; exec {waiting}>&- {first}<&- {second}<&-
PATH=$callers
set +e
${systemProgram('nsenter')} --user="/proc/self/fd/$users" -- ${systemProgram('unshare')} --mount --propagation private -- \\
  ${systemProgram('bash')} --noprofile --norc -c 'eval "exec $1<&-"; script=$2; shift 2; eval "$script"' bash "$users" "$@"
exit $?`

/** Gives a program inside a namespace its own uid back, without the rights that made the namespace. */
export function asOwnUser(): readonly string[] {
  const { getuid, getgid } = process
  if (!getuid || !getgid) return []
  return [systemProgram('unshare'), '--user', `--map-user=${getuid()}`, `--map-group=${getgid()}`, '--']
}
