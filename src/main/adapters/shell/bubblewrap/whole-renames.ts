import { isProgram, systemProgram } from '../../system/system-programs.ts'

/** Numbers of the kernel: for programs of this machine, the calls seccomp, prctl, clone, exit_group, rename, renameat, renameat2. */
const numbers: Readonly<Record<string, readonly number[]>> = {
  x64: [0xc000003e, 317, 157, 56, 231, 82, 264, 316],
  arm64: [0xc00000b7, 277, 167, 220, 94, 0xffffffff, 38, 276],
}

/**
 * A command line that runs a program in which folders of the project can be renamed, as on a plain disk. An overlay mount
 * refuses that for every folder that lies below its topmost layer (`EXDEV`), and few programs then copy: not git, not
 * Python, not Node. So the kernel asks the first process of the command about each such call
 * (https://man7.org/linux/man-pages/man2/seccomp_unotify.2.html). It has the rights of the command and no others. Where
 * the overlay refuses, it moves the entries one by one into a folder beside the goal, which then gets its name.
 *
 * Returns the program unchanged where there is no perl, whose calls need no library of ours. Where the kernel takes no
 * second listener, the program runs without one.
 */
export function withWholeRenames(program: readonly string[]): readonly string[] {
  const known = numbers[process.arch]
  if (!known || !renamesWhole()) return program
  return [systemProgram('perl'), '-e', script, ...known.map(String), ...program]
}

/** True where this machine has what is needed. A container may still refuse it. */
export function renamesWhole(): boolean {
  return process.arch in numbers && isProgram(systemProgram('perl'))
}

const script = String.raw`
my ($arch, $seccomp, $prctl, $clone, $end, $plain, $at, $at2) = map { $_ + 0 } splice(@ARGV, 0, 8);
my $asked;
my $staged = 0;

# The child shares its open files until it is another program, so perl must not close them when that fails.
sub run {
  exec { $ARGV[0] } @ARGV;
  syswrite(STDERR, "$ARGV[0]: $!\n");
  syscall($end, 127);
}

# The text at a place in the memory of a process; nothing when that cannot be read.
sub text {
  my ($pid, $from) = @_;
  open(my $memory, "<:raw", "/proc/$pid/mem") or return undef;
  my $all = "";
  while (length($all) <= 4096) {
    sysseek($memory, $from + length($all), 0) or return undef;
    my $count = sysread($memory, my $part, 4096 - ($from + length($all)) % 4096) or return undef;
    $all .= $part;
    return $1 if $all =~ /^([^\0]*)\0/s;
  }
  return undef;
}

sub place {
  my ($pid, $folder, $pointer) = @_;
  my $path = text($pid, $pointer);
  return undef if !defined $path || $path eq "" || (readlink("/proc/$pid/root") // "") ne "/";
  return $path if $path =~ m{^/};
  $folder = unpack("l", pack("L", $folder & 0xffffffff));
  my $above = readlink($folder == -100 ? "/proc/$pid/cwd" : "/proc/$pid/fd/$folder");
  return defined $above ? "$above/$path" : undef;
}

sub is_folder { my @facts = lstat($_[0]); return @facts && -d _ && !-l _ }

# Moves a file or folder, entry by entry where that is refused. Returns the error, 0 for none.
sub carry {
  my ($from, $to) = @_;
  return 0 if rename($from, $to);
  my $why = $! + 0;
  return $why unless is_folder($from) && ($why == 18 || (is_folder($to) && ($why == 17 || $why == 39)));
  my @facts = lstat($from);
  return $! + 0 unless mkdir($to, 0700) || is_folder($to);
  opendir(my $folder, $from) or return $! + 0;
  my @names = grep { $_ ne "." && $_ ne ".." } readdir($folder);
  closedir($folder);
  for my $name (@names) { my $error = carry("$from/$name", "$to/$name"); return $error if $error }
  chmod($facts[2] & 07777, $to);
  utime($facts[8], $facts[9], $to);
  return (rmdir $from) ? 0 : $! + 0;
}

sub move {
  my ($from, $to) = @_;
  s{/+$}{} for $from, $to;
  my ($above, $goal) = map { m{^(.*/)[^/]*$}s ? $1 : "./" } $from, $to;
  return 18 if ((stat($above))[0] // -1) != ((stat($goal))[0] // -2);
  return 22 if index("$to/", "$from/") == 0;
  if (lstat($to)) {
    return 20 unless is_folder($to);
    (rmdir $to) or return $! + 0;
  }
  my $beside = $goal . ".coppice-rename-$$-" . $staged++;
  my $error = carry($from, $beside);
  $error = $! + 0 unless $error || rename($beside, $to);
  carry($beside, $from) if $error;
  return $error;
}

# The error of a call, 0 when it is done. Undefined leaves it to the kernel.
sub answer {
  my ($pid, $number, @given) = @_;
  @given = (-100, $given[0], -100, $given[1], 0) if $number == $plain;
  my $flags = $number == $at ? 0 : $given[4];
  return undef if $flags > 1;
  my ($from, $to) = (place($pid, @given[0, 1]), place($pid, @given[2, 3]));
  return undef unless defined $from && defined $to && is_folder($from);
  return undef if $flags && lstat($to);
  return 0 if rename($from, $to);
  my $why = $! + 0;
  return $why == 18 ? move($from, $to) : $why;
}

my $works = syscall(434, $$ + 0, 0);
run() if $works < 0 || !pipe(my $hears, my $tells);
my $child = syscall($clone, 0x411, 0, 0, 0, 0);
run() if $child < 0;
if ($child == 0) {
  my @rules = ([0x20, 0, 0, 4], [0x15, 0, 4, $arch], [0x20, 0, 0, 0], [0x15, 3, 0, $plain], [0x15, 2, 0, $at],
    [0x15, 1, 0, $at2], [0x06, 0, 0, 0x7fff0000], [0x06, 0, 0, 0x7fc00000]);
  my $filter = join("", map { pack("SCCL", @$_) } @rules);
  my $program = pack("Sx6P", scalar(@rules), $filter);
  syscall($prctl, 38, 1, 0, 0, 0);
  my $listener = syscall($seccomp, 1, 8, $program);
  syswrite($tells, pack("l", $listener));
  run();
}
sysread($hears, my $told, 4);
my $listener = unpack("l", $told);
open($asked, "+<&=", $listener) if $listener >= 0;
my $ended = syscall(434, $child, 0);
while (1) {
  my $ready = "";
  vec($ready, $ended, 1) = 1;
  vec($ready, $listener, 1) = 1 if $listener >= 0;
  next if select($ready, undef, undef, undef) < 0;
  last if vec($ready, $ended, 1);
  my $call = "\0" x 80;
  ioctl($asked, 0xc0502100, $call) or next;
  my ($id, $pid, $none, $number, $of, $at, @given) = unpack("QLLlLQQ6", $call);
  my $error = answer($pid, $number, @given);
  my $reply = pack("QqlL", $id, 0, defined $error ? (-$error, 0) : (0, 1));
  ioctl($asked, 0xc0182101, $reply);
}
waitpid($child, 0);
my ($signal, $code) = ($? & 127, $? >> 8);
if ($signal) { kill($signal, $$); $code = 128 + $signal }
exit($code);
`
