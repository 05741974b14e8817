import fc from 'fast-check'
import { expect, it } from 'vitest'
import { file } from '#core/ports/branch-mounts.contract.ts'
import type { BranchMount, Evicted } from '#core/ports/branch-mounts.ts'
import { runs, timeLimit } from '#core/ports/test-size.testkit.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

/**
 * The law of everything that commands leave: what a person, a command, a process or a file tool does to some paths takes
 * nothing from what a branch left at others, and where two did something to one path, both versions are there.
 */

const never = new AbortController().signal
const strategies = await findStrategies()

const paths = ['ig/a', 'ig/d/x', 'ig/d/e/z', 'k.log', 'self/sub/g'] as const
type Path = (typeof paths)[number]
const who = fc.constantFrom('person', 'command', 'process', 'tool')
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write'), at: fc.constantFrom(...paths) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), at: fc.constantFrom<string>(...paths) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), at: fc.constantFrom('ig/d', 'ig', 'self/sub') }) },
)
const story = fc.array(fc.tuple(who, act), { minLength: 6, maxLength: 9 })

type Step = typeof story extends fc.Arbitrary<(infer One)[]> ? One : never
/** What was found: a process makes a folder again that a command removed, beside another command, and the branch changes both files. */
const found: readonly [Step[], number][] = [
  [
    [
      ['command', { kind: 'write', at: 'k.log' }],
      ['command', { kind: 'remove', at: 'ig/d' }],
      ['process', { kind: 'write', at: 'ig/d/x' }],
      ['tool', { kind: 'remove', at: 'ig/d' }],
    ],
    3,
  ],
]

const isAt = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
const scriptOf = ({ kind, at }: { readonly kind: string; readonly at: string }, token: string) =>
  kind === 'write' ? `mkdir -p $(dirname ${at}); echo ${token} > ${at}` : `rm -rf ${at}`

it.each(strategies)(
  'nothing that a branch left in ignored files is lost, whoever writes beside it ($kind)',
  async (probed) => {
    const property = fc.asyncProperty(story, fc.nat(paths.length), async (steps, before) => {
      await using world = openMountsWorld({ probe: async () => probed })
      const start = paths.slice(0, before).map((path) => scriptOf({ kind: 'write', at: path }, `disk-${path}`))
      const selfIgnored = `mkdir -p self src; echo '*' > self/.gitignore`
      await world.onDisk([`printf 'ig/\\n*.log\\n' > .gitignore; ${selfIgnored}`, ...start].join('\n'))
      /** What the branch left at a path, and null for a removal. */
      const left = new Map<string, string | null>()
      /** What the branch changed itself, and null for what it removed: what others do there is a change too. */
      const ofTools = new Map<string, string | null>()
      /** Where the branch removed a file, maybe with its folder, and the person wrote it again. */
      const again = new Set<string>()
      const kept = new Map<string, string>()
      /** Where something newer lies below what the branch left. */
      const due = new Set<string>()
      let environment: readonly LayerId[] = []

      const give = (evicted: readonly Evicted[], versions: Map<string, string | null>) => {
        for (const { path, keptAs } of evicted)
          for (const [own, token] of versions) {
            if (!isAt(`/${own}`, path)) continue
            if (token !== null && keptAs !== null) kept.set(keptAs + `/${own}`.slice(path.length), token)
            expect(token === null || keptAs !== null, `${own} has a new name`).toBe(true)
            versions.delete(own)
          }
      }
      const leave = (path: string, version: string | null) => (ofTools.has(path) ? ofTools : left).set(path, version)
      const open = async (owner: string) => {
        const overlay = [...ofTools].map(([name, text]) => {
          const path = `/${name}` as VirtualPath
          return text === null ? ({ kind: 'absent', path } as const) : file(path, `${text}\n`)
        })
        const sorted = overlay.toSorted((a, b) => (a.path < b.path ? -1 : 1))
        const mount = await world.mounts.open({ owner, overlay: sorted, environment }, never)
        give(mount.evicted, left)
        expect(
          [...due].filter((path) => typeof left.get(path) === 'string'),
          'what is newer is shown',
        ).toEqual([])
        due.clear()
        return mount
      }
      const look = async (mount: BranchMount, places: readonly string[]) => {
        const lines = places.map((place) => `echo "$(cat ${place.replace(/^~/, mount.home)} 2>/dev/null)"`)
        return (await world.inMount(mount, lines.join(';') || 'true')).split('\n').slice(0, places.length)
      }
      const check = async (mount: BranchMount) => {
        const onDisk = (await world.onDisk(paths.map((path) => `echo "$(cat ${path} 2>/dev/null)"`).join(';'))).split(
          '\n',
        )
        const shown = await look(mount, paths)
        const expected = paths.map((path, index) => {
          const below = ofTools.has(path) ? (ofTools.get(path) ?? '') : onDisk[index]
          // A file that is changed in a folder that the branch removed is shown when its folder changed too.
          if (again.has(path) && (shown[index] === below || shown[index] === '')) return shown[index]
          return left.has(path) ? (left.get(path) ?? '') : below
        })
        expect(shown, 'what is shown').toEqual(expected)
        expect(await look(mount, [...kept.keys()]), 'what moved').toEqual([...kept.values()])
      }

      for (const [index, [actor, what]] of steps.entries()) {
        const token = `${actor}-${index}`
        const touched = paths.filter((path) => isAt(path, what.at))
        if (actor === 'command') for (const path of touched) again.delete(path)
        if (actor === 'tool') {
          for (const path of touched) {
            ofTools.set(path, token)
            if (left.get(path) === null) left.delete(path)
            else due.add(path)
          }
        } else if (actor === 'person') {
          await world.onDisk(scriptOf(what, token))
          for (const path of touched)
            if (what.kind === 'write' && !ofTools.has(path)) due.add(path)
            else if (!ofTools.has(path)) due.delete(path)
          for (const path of touched)
            if (what.kind === 'write' && left.get(path) === null && !ofTools.has(path)) again.add(path)
        } else if (actor === 'command') {
          await using mount = await open('branch')
          await world.inMount(mount, scriptOf(what, token))
          for (const path of touched) leave(path, what.kind === 'write' ? token : null)
          await check(mount)
          environment = (await mount.capture()).environment
        } else {
          // A command leaves something while it runs, which may be at the same path.
          await using beside = await open('process')
          const [began, also] = [environment, paths[index % paths.length] as Path]
          await world.inMount(beside, scriptOf(what, token))
          {
            await using mount = await open('branch')
            await world.inMount(mount, scriptOf({ kind: 'write', at: also }, `also-${index}`))
            leave(also, `also-${index}`)
            environment = (await mount.capture()).environment
          }
          const { added: own = [] } = await beside.capture()
          const joined = await world.mounts.joinLayers({ start: began, own, onto: environment })
          const ofProcess = new Map(
            touched
              .filter((path) => path !== also)
              .map((path) => [path as string, what.kind === 'write' ? token : null]),
          )
          const collided = new Map(
            touched.includes(also) && what.kind === 'write' && !ofTools.has(also) ? [[also as string, token]] : [],
          )
          give(joined.evicted, collided)
          expect([...collided], 'what collided has a new name').toEqual([])
          for (const [path, version] of ofProcess) leave(path, version)
          environment = joined.layers
        }
      }
      await using mount = await open('branch')
      await check(mount)
    })
    await fc.assert(property, {
      ...runs(3, 300),
      examples: [...found],
      interruptAfterTimeLimit: 100_000,
      markInterruptAsFailure: false,
      endOnFailure: true,
    })
  },
  timeLimit(60_000),
)
