import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** Programs of tool chains, each with the argument that makes it say its version. */
const versionArguments: Readonly<Record<string, string>> = {
  ...{ bun: '--version', bundle: '--version', cargo: '--version', cmake: '--version', composer: '--version' },
  ...{ deno: '--version', dotnet: '--version', gcc: '--version', git: '--version', go: 'version', gradle: '--version' },
  ...{ java: '-version', make: '--version', mvn: '--version', node: '--version', npm: '--version', php: '--version' },
  ...{ pip: '--version', pnpm: '--version', poetry: '--version', python3: '--version', ruby: '--version' },
  ...{ rustc: '--version', uv: '--version', yarn: '--version' },
}

/** Nothing may be downloaded for an answer. */
const withoutDownloads = { COREPACK_ENABLE_NETWORK: '0', RUSTUP_AUTO_INSTALL: '0' }

/** A Bash script that asks every tool on PATH for its version, all at once. `readVersions` reads its output. */
export function askVersions(): string {
  const variables = Object.entries(withoutDownloads).map(([name, value]) => `export ${name}=${value}`)
  const asks = Object.entries(versionArguments).map(([name, argument]) => `ask ${name} ${argument} &`)
  return `${variables.join('; ')}
ask() { if [ -z "$(type -P "$1")" ]; then return; fi
  printf '%s\\n' "$1"; said=$("$@" 2>&1 < /dev/null); printf '%s\\t%s\\t%s\\n' "$1" $? "\${said%%$'\\n'*}"; }
${asks.join('\n')}
wait`
}

/** What a tool said: its first line, or why there is none. */
export type ToolVersions = ReadonlyMap<string, string>

const longestLine = 200

/** Tools that were not found are missing. A tool that began and did not answer is named as such. */
export function readVersions(output: string): ToolVersions {
  const found = new Map<string, string>()
  for (const line of output.split('\n')) {
    const [name = '', code, said = ''] = line.split('\t')
    if (!(name in versionArguments)) continue
    if (code === undefined) found.set(name, found.get(name) ?? 'no answer in time')
    else found.set(name, beginningOf(oneLine(said).trim(), longestLine) || `nothing, and exit code ${code}`)
  }
  return found
}

/** The tools of the person's shell that are other ones in a command, each as a phrase. */
export function differingVersions(outside: ToolVersions, inside: ToolVersions): readonly string[] {
  return [...outside].flatMap(([name, version]) => {
    const there = inside.get(name) ?? 'not found'
    return there === version ? [] : [`${name}: in your shell ${quote(version)}, in a command ${quote(there)}`]
  })
}

function quote(text: string): string {
  return `“${text}”`
}
