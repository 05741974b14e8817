import { expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import { findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

/**
 * Names are bytes: what a command leaves in ignored files under any name is there for later commands, on both kinds of views, or its
 * result names what is not.
 */

const never = new AbortController().signal
const strategies = await findStrategies()
const { raw } = String
const deep = `${'d'.repeat(240)}/`.repeat(9)
const scripts = [
  raw`printf x > dist/$'\xff'; printf x > dist/${'n'.repeat(255)}; mkfifo dist/pipe; echo more >> dist/$'old\xff'
    mkdir dist/$'\xfe'; printf x > dist/$'\xfe'/a; printf y > dist/$'\xfe'/$'\xfd'; echo more >> dist/$'in\xff'/deep/er
    for n in $'a\nb' 'trail ' ' lead' $'\t\x01' -n 'a"b\c' é $'e\u0301' $'\u2028' ...; do printf x > "dist/$n"; done
    ln -s $'\xff' dist/link; ln -s $'a\xffb' dist/$'l\xfc'`,
  raw`rm dist/$'old\xff'; rm -r dist/$'in\xff'; ln -s /etc dist/$'in\xff'; mkdir $'i\xff'; echo x > $'i\xff'/f
    echo x > $'t\xff.log'`,
  raw`rm dist/$'old\xff'; mkdir dist/$'old\xff'; echo x > dist/$'old\xff'/x; mkdir dist/$'cl\xff'; echo x > dist/$'cl\xff'/f
    chmod 0 dist/$'cl\xff'/f; chmod 500 dist/$'cl\xff'; mkdir -p dist/${deep}; echo x > dist/${deep}f`,
]
const look = `find . -path ./home -prune -o -type d -printf '%P %y %m\\0' -o -printf '%P %y %m %l %s\\0' | LC_ALL=C sort -z | base64 -w0`

// Mutation: let `changedUncarried` find nothing, or `leftOutBy` leave out `unnamed`.
it.each(strategies.flatMap((strategy) => scripts.map((script, at) => [strategy.kind, at, script, strategy] as const)))(
  'of ignored files are kept or told (%s, %d)',
  async (_, __, script, strategy) => {
    await using world = openMountsWorld({ probe: async () => strategy, mostInStack: 2 })
    await world.onDisk(raw`printf 'dist/\n*.log\ni*/\n' > .gitignore; mkdir -p dist/$'in\xff'/deep
      echo old > dist/old; echo old > dist/$'old\xff'; echo old > dist/$'in\xff'/deep/er`)
    let environment: readonly LayerId[] = []
    const command = async (script: string) => {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
      const seen = Buffer.from(await world.inMount(mount, script), 'base64').toString('latin1')
      const { notKept = [], ...captured } = await mount.capture()
      environment = captured.environment
      return { seen: seen.split('\0'), notKept, changes: captured.changes }
    }
    const first = await command(`{ ${script}; }; ${look}`)
    expect(first.changes).toEqual([])
    const told = first.notKept.map(({ path }) => path.slice(1).replaceAll(raw`\xff`, '\xff'))
    const kept = (lines: readonly string[]) =>
      lines.filter((line) => !told.some((path) => line.startsWith(`${path} `) || line.startsWith(`${path}/`)))
    expect(kept((await command(look)).seen)).toEqual(kept(first.seen))
    // Other layers above it, and one made of all.
    for (const name of ['one', 'two', 'three']) await command(`mkdir made-i 2>&-; echo ${name} > dist/../made-i.log`)
    expect(kept((await command(`rm made-i.log; rmdir made-i; ${look}`)).seen)).toEqual(kept(first.seen))
  },
)

// Mutation: let links with any bytes be changes.
it.each(strategies)(
  'of places that links of the project lead to are told where they are no text ($kind)',
  async (kind) => {
    await using world = openMountsWorld({ probe: async () => kind })
    await world.onDisk(raw`ln -s $'was\xff' link; ln -s a other; ln -s $'same\xff' same; ln -s $'own\xff' touched`)
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(mount, raw`ln -sfn $'now\xff' other; ln -s $'new\xff' new; ln -s text plain; touch -h touched`)
    const { changes, notKept = [] } = await mount.capture()
    expect(changes.map(({ path }) => path)).toEqual(['/plain'])
    expect(
      notKept
        .map(({ path, why }) => `${path} ${why}`)
        .sort()
        .filter((one) => one !== '/touched name'),
    ).toEqual(['/new name', '/other name'])
  },
)
