import fc from 'fast-check'

/** Rows of a text, with `⏎` for a line break. */
function rowsOf(text: string): readonly string[] {
  return text.split('\n').flatMap((row) => (row.trim() === '' ? [] : [row.trim().replaceAll('⏎', '\n')]))
}

/** The name of the program `zap`, in words that a shell makes of something else. */
const nameRows = rowsOf(String.raw`
    zap
    "zap"
    z'a'p
    z\ap
    $'z\x61p'
    $'zap\0x'
    $"zap"
    {zap,}
    z{a,}p
    {z,}ap
    $z
    "$z"
    $\{z}ap
    $\{x:-zap}
    $\{!n}
    "$\{a[@]}"
    $1
    "$@"
    $(echo zap)
    $(printf '\x7aap')
    ${'`echo zap`'}
    za$()p
    za""p
    ../bin/zap
    ../bin/z?p
    ../bin/[z]ap
    ../*/zap
    ~/../bin/zap
    $PWD/../bin/zap
    zap\⏎`).map((name) => name.replace('$\\{', '$' + '{'))
const names = fc.constantFrom(...nameRows)
const preparations = fc.constantFrom(
  ...['', '', '', '', 'z=zap; ', 'z=z; ', 'a=(zap x); ', 'n=z; z=zap; ', 'set -- zap x; ', 'set -f; '],
  ...['shopt -s extglob; ', 'IFS=q; z=zapqx; ', 'n=a; a=zap; ', 'x=zap; '],
)
const calls = fc
  .tuple(names, fc.constantFrom('', ' x', ' "$x"', ' *', ' 2>&1', ' > out', ' <<< y'))
  .map((parts) => parts.join(''))

const wrappers = rowsOf(`
  env
  env A=1
  env -i
  nice
  nice -n 3
  nohup
  setsid -w
  stdbuf -oL
  timeout 3
  command
  exec
  exec -a q
  builtin command
  time
  !
  A=1
  coproc
  flock out
  xargs
  echo x | xargs
  echo zap | xargs
  echo zap | xargs env
  mapfile -C
  compgen -C
  trap
  jobs -x
  awk`)

/**
 * What a line in quotes is given to, and what follows. Nothing that runs itself again: a handler for unknown commands,
 * or a start file of the shell, would fill the machine with processes.
 */
const readers = rowsOf(`
  bash -c %
  sh -c %
  eval %
  eval eval %
  env bash -xc %
  env -S %
  trap % EXIT
  trap % DEBUG; :
  flock out -c %
  timeout 3 bash -c %
  bash <<< %
  sh -s <<< %
  x=%; eval "$x"
  x=%; $x
  x=%; bash -c "$x"
  x=%; echo "$\\{x@P}"
  x=%; echo $((x))
  x="a[$"%"]"; echo $((x))
  echo % | bash
  echo % > f; bash f
  echo % > f; . ./f
  printf -v x %; eval "$x"
  read x <<< %; eval "$x"
  find . -maxdepth 0 -exec sh -c % \\;
  echo x | xargs -n1 bash -c %
  mapfile -c 1 -C % y <<< q
  compgen -C %
  awk 'BEGIN{system("bash -c " ARGV[1])}' %
  echo %`).map((row) => row.replace('$\\{', '$' + '{'))

/** Calls that run the program which one of their words names. */
const runners = fc
  .tuple(
    fc.constantFrom(
      ...rowsOf(`
  git grep -O% x
  git grep -iO% x
  git grep --open-files-in-pager=% x
  git difftool -y --extcmd=%
  git clone -u % . y
  git -c alias.q=!% q
  git -c diff.external=% diff
  make SHELL=%
  make --eval="q: ; "% q
  cmake -E env %
  cmake -E env A=1 % x
  cmake -E time %`),
    ),
    names,
  )
  .map(([row, name]) => row.replace('%', () => name))

/** What stands around a line. */
const frames = rowsOf(`
  (%)
  { %; }
  echo $(%)
  echo "$(%)"
  cat <(%)
  echo x > >(%)
  if %; then :; fi
  while %; do break; done
  for i in 1; do %; done
  for ((i=0;i<1;i++)); do %; done
  f() { %; }; f
  g() { %; }; g zap x
  case a in a) %;; esac
  cat <<E⏎$(%)⏎E
  bash <<E⏎%⏎E
  bash <<'E'⏎%⏎E
  x=$(%); $x
  [[ -n $(%) ]]
  echo $((%))
  find . -maxdepth 0 -exec % \\;
  true && %
  false || %
  echo x | %
  % | cat
  % &
  a[$(%)]=1
  awk 'BEGIN{system("%")}'
  sed -n "1e %" /etc/passwd
  select i in 1; do %; done
  shopt -s expand_aliases⏎alias qq=zap⏎%⏎qq
  hash -p ../bin/zap ls; ls; %`)

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const sentences = fc.letrec<{ line: string }>((line) => ({
  line: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    calls,
    runners,
    fc.tuple(fc.constantFrom(...wrappers), line('line')).map((parts) => parts.join(' ')),
    fc.tuple(fc.constantFrom(...readers), line('line')).map(([row, text]) => row.split('%').join(quoted(text))),
    fc.tuple(fc.constantFrom(...frames), line('line')).map(([row, text]) => row.split('%').join(text)),
    fc
      .tuple(line('line'), fc.constantFrom(';', '&&', '||', '|', '&', '\n'), line('line'))
      .map((parts) => parts.join(' ')),
  ),
})).line

const tokens = [
  ...[
    'zap',
    'zap ',
    'zap',
    ' ',
    ' ',
    ';',
    '&&',
    '|',
    '\n',
    '"',
    "'",
    '$(',
    ')',
    '`',
    '(',
    '{ ',
    '}',
    '$',
    '\\',
    'x',
    '=',
  ],
  ...['$z', '<<<', '<(', "$'", 'bash -c ', 'eval ', 'env ', 'xargs ', 'echo ', '!', '#', '~', '*', '[', ']', ',', '{'],
  ...['$((', '))', '<<E\n', '\nE\n', 'then ', 'if ', 'fi', '\t', '\r', '>', '&', 'in ', 'case ', 'esac'],
]
const soup = fc.array(fc.constantFrom(...tokens), { minLength: 2, maxLength: 12 }).map((parts) => parts.join(''))

/** Command lines of which many run the program `zap` in a way that is hard to see. */
export const disguisedLines = fc
  .tuple(preparations, fc.oneof({ weight: 3, arbitrary: sentences }, { weight: 1, arbitrary: soup }))
  .map((parts) => parts.join(''))
  .filter((line) => line.length < 2_000)
