import type { ReadablePlaces } from '../readable-places.ts'
import type { Wsl } from './wsl-program.ts'

/** What a command in the Linux of a Windows machine may read. */
export interface LinuxPlaces {
  /** Such as `Ubuntu 24.04 LTS`. */
  readonly name: string
  readonly places: ReadablePlaces
}

/** Says each thing in one line: a word, and what it is about. */
const look = `. /etc/os-release 2> /dev/null; echo "name \${PRETTY_NAME:-Linux}"; echo "user $(id -u)"
command -v bwrap > /dev/null && echo bubblewrap
for place in /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix; do
  if [ -L "$place" ]; then echo "link $place $(readlink -f "$place")"; elif [ -d "$place" ]; then echo "folder $place"; fi
done`

/** Looks at the Linux, or says why commands cannot run there. */
export async function findLinux(wsl: Wsl): Promise<LinuxPlaces | { readonly why: string }> {
  const output = await wsl.run(['sh', '-s'], look)
  if (output === null)
    return { why: 'Commands have a sandbox on Windows when WSL 2 is installed. Run "wsl --install" in a terminal.' }
  const lines = output.split('\n').map((line) => line.trim())
  const all = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  const [name = 'Linux'] = all('name')
  if (!lines.includes('bubblewrap'))
    return {
      why: `${name} in WSL does not have bubblewrap. Run "wsl -u root apt install -y bubblewrap" in a terminal.`,
    }
  if (all('user')[0] === '0')
    return { why: `${name} in WSL runs programs as root. Make a user of your own the default one: see "wsl --manage".` }
  const links = all('link').map((line) => line.split(' ', 2))
  return {
    name,
    places: {
      folders: all('folder'),
      links: links.map(([link = '', target = '']) => [link, target] as const),
      maskedFiles: [],
      maskedFolders: [],
      credentials: [],
      variables: {},
      written: {},
      usesMaven: false,
      skipped: [],
    },
  }
}
