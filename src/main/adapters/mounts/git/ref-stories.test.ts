import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs, timeLimit } from '#core/ports/test-size.testkit.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { openMountsWorld } from '../mounts-world.testkit.ts'

/**
 * The law of references: what a person and an agent do in git, in any order, takes nothing from either. A reference that only
 * one of them touched is as that one left it. Where both touched one, both commits are there, and the result says so.
 */

const never = new AbortController().signal
const probing = openMountsWorld()
const strategy = await probing.mounts.findStrategy()
await probing[Symbol.asyncDispose]()
const copy = { kind: 'copy', reason: 'asked for' } as const
const strategies = strategy.kind === 'overlay' ? [strategy, copy] : [copy]

const git = 'git -c user.name=n -c user.email=e -c advice.detachedHead=false'
const name = fc.constantFrom('main', 'x', 'y')
const acts = fc.oneof(
  { weight: 4, arbitrary: fc.constant('commit') },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('branch', 'force', 'delete', 'checkout', 'tag'), name) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('rename'), name, name) },
  { weight: 2, arbitrary: fc.constantFrom('amend', 'rebase', 'detach', 'pack', 'gc') },
  { weight: 3, arbitrary: fc.constant('stash') },
)
type Act = typeof acts extends fc.Arbitrary<infer One> ? One : never
/** Where the repository is: the project, or a submodule of it, whose `.git` is a file that leads into that of the project. */
const place = fc.constantFrom('.', 'lib', 'libs/b')
const story = fc.array(fc.tuple(fc.constantFrom('person', 'agent'), acts), { minLength: 8, maxLength: 14 })

function scriptOf(act: Act, token: string): string {
  const [kind, one = '', other = ''] = typeof act === 'string' ? [act] : act
  const scripts: Readonly<Record<string, string>> = {
    commit: `${git} commit -q --allow-empty -m ${token}`,
    amend: `${git} commit -q --amend --allow-empty -m ${token}`,
    stash: `echo ${token} > s; git add s; ${git} stash -q`,
    rebase: `${git} rebase -q --keep-empty --force-rebase --root`,
    detach: 'git checkout -q --detach',
    pack: 'git pack-refs --all',
    gc: 'git gc -q',
    branch: `git branch ${one}`,
    force: `git branch -f ${one} HEAD^`,
    delete: `git branch -D ${one}`,
    checkout: `git checkout -q ${one}`,
    tag: `git tag -f ${one}`,
    rename: `git branch -m ${one} ${other}`,
  }
  // What git refuses changes nothing.
  return `( ${scripts[kind]} ) > /dev/null 2>&1 || true`
}

interface Seen {
  /** Ids by name, without HEAD, stashes and what was kept. */
  readonly refs: ReadonlyMap<string, string>
  readonly stashes: ReadonlySet<string>
  /** All that a reference leads to. */
  readonly reachable: ReadonlySet<string>
  /** The branch that somebody is on. Empty for none. */
  readonly head: string
}
const look = `git for-each-ref --format='%(objectname) %(refname)'; echo --; git log -g --format=%H refs/stash 2>/dev/null; echo --; git rev-list --all HEAD; echo --; git symbolic-ref -q HEAD || true`

function seenIn(output: string): Seen {
  const [refs = '', stashes = '', commits = '', head = ''] = output.split('--\n').map((part) => part.trim())
  const lines = refs.split('\n').map((line) => line.split(' '))
  return {
    refs: new Map(
      lines.flatMap(([id = '', ref = '']) => (/^refs\/(heads|tags)\//.test(ref) ? [[ref, id] as const] : [])),
    ),
    stashes: new Set(stashes.split('\n').filter(Boolean)),
    reachable: new Set(commits.split('\n')),
    head,
  }
}

// Mutation: with the person's side always shown, without `keepRef`, or with only the newest list of stashes, a story fails.
it.each(strategies)(
  'git loses nothing of a person and an agent ($kind)',
  async (probed) => {
    const property = fc.asyncProperty(story, place, async (steps, place) => {
      await using world = openMountsWorld({ probe: async () => probed })
      const there = (script: string) => `( cd ${place}; ${script} )`
      const onDisk = async () => seenIn(await world.onDisk(there(look)))
      const begin = `git init -q --template= -b main .; echo 0 > s; git add s; ${git} commit -qm 0; git branch x; ${git} commit -q --allow-empty -m 1`
      await world.onDisk(
        place === '.'
          ? begin
          : `mkdir ../outer; ( cd ../outer; ${begin} ); ${begin}; git -c protocol.file.allow=always submodule --quiet add ../outer ${place}; ${git} commit -qm 2`,
      )
      await world.onDisk(there('git branch -q x main 2> /dev/null; git branch -q -D none 2> /dev/null; true'))
      let environment: readonly LayerId[] = []
      let agent = await onDisk()
      let person = agent
      for (const [at, [who, act]] of steps.entries()) {
        const script = there(scriptOf(act, `${who}-${at}`))
        if (who === 'person') {
          await world.onDisk(script)
          continue
        }
        const now = await onDisk()
        const untouched = await world.fingerprint()
        await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
        const [shown = '', after = ''] = (
          await world.inMount(mount, `${there(look)}; echo =; ${script}; ${there(look)}`)
        ).split('=\n')
        const view = seenIn(shown)
        const told = new Set(mount.evicted.map(({ path }) => path.replace(/^\/\.git\/(modules\/(libs\/b|lib)\/)?/, '')))
        for (const ref of new Set([...agent.refs.keys(), ...now.refs.keys(), ...person.refs.keys()])) {
          const [own, before, theirs] = [agent.refs.get(ref), person.refs.get(ref), now.refs.get(ref)]
          const is = view.refs.get(ref)
          // Nobody removes a branch that the other one went to.
          const isOn = ref === view.head && own === undefined && is === theirs
          if (isOn) expect([at, ref, told.has(ref) || theirs !== before]).toEqual([at, ref, true])
          else if (theirs === before) expect([at, ref, is]).toEqual([at, ref, own])
          else if (own === before) expect([at, ref, is]).toEqual([at, ref, theirs])
          else {
            expect([own, theirs], `${at} ${ref}`).toContain(is)
            if (own !== undefined) expect(view.reachable.has(own), `${at} ${ref} of the agent is kept`).toBe(true)
            if (own !== is && theirs !== undefined && own !== undefined && !told.has(ref))
              await world.inMount(mount, there(`git merge-base --is-ancestor ${own} ${is}`))
          }
        }
        for (const stash of [...agent.stashes, ...now.stashes]) expect(view.stashes).toContain(stash)
        agent = seenIn(after)
        environment = (await mount.capture()).environment
        person = now
        // Nothing of the agent reached the folder, not for a moment. Mutation: git writes a pack of its own in `saveObjects`.
        expect(await world.fingerprint()).toBe(untouched)
      }
    })
    // Each step starts git several times, so shorter stories are not searched for.
    await fc.assert(property, { ...runs(15), endOnFailure: true })
  },
  timeLimit(120_000),
)
