import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Project } from '#host/project/project.ts'
import type { HookListView, HookView } from '#shared/contract/views/hooks.ts'
import { isPersonal } from '#shared/model/calls/hooks.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { answerVerb } from './answer-verb.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { openHost } from './open-host.ts'
import { printStatus } from './print-status.ts'
import { readScreen } from './screen/screen.ts'
import { type Line, lineOf, type Tone, wrapLine } from './screen/spans.ts'
import { terminal } from './screen/terminal.ts'

type Hooks = Project['hooks']

/** `coppice hooks`: lists hooks, approves those of the folder, and switches any of them off. */
export function hooks(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const place = resolve(line.positionals[0] ?? '.')
    if (!statSync(place, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`hooks: there is no folder ${place}.`)
    await using host = await openHost(line, 'cli')
    const project = await host.projects.open(place)
    if (line.flag('trust')) host.projects.setTrusted(project.info().id, true)
    await change(line, project.hooks)
    const list = await project.hooks.list()
    for (const problem of list.problems) printStatus(problem)
    if (!project.info().trusted)
      printStatus('This folder is not trusted, so its own hooks are not read. --trust trusts it.')
    return { value: { hooks: list.hooks.map(rowOf), problems: list.problems }, lines: linesOf(list) }
  })
}

/** Finds every hook that is named before anything is changed. */
async function change(line: CommandLine, ofProject: Hooks): Promise<void> {
  const { hooks: all } = await ofProject.list()
  const approved = line.texts('approve').flatMap((id) => (id === 'all' ? waiting(all) : [find(all, id)]))
  const revoked = line.texts('revoke').map((id) => find(all, id))
  const own = [...approved, ...revoked].find(({ source }) => isPersonal(source))
  if (own) throw new UsageError(`${idOf(own)} is a hook of yours, which needs no approval. --off switches it off.`)
  const [off, on] = (['off', 'on'] as const).map((flag) => line.texts(flag).map((id) => find(all, id)))
  for (const { hash } of approved) await ofProject.setApproved(hash, true)
  for (const { hash } of revoked) await ofProject.setApproved(hash, false)
  for (const { hash } of off ?? []) await ofProject.setOn(hash, false)
  for (const { hash } of on ?? []) await ofProject.setOn(hash, true)
  for (const hook of approved) printStatus(oneLine(`Approved: ${titleOf(hook)}: ${hook.command}`))
}

const waiting = (all: readonly HookView[]) => all.filter(({ state }) => state === 'waits')

function find(all: readonly HookView[], id: string): HookView {
  const found = all.filter(({ hash }) => id.length >= 4 && hash.startsWith(id))
  const [hook] = found
  if (hook && found.length === 1) return hook
  const known = all.map(idOf).join(', ') || 'none is defined'
  throw new UsageError(
    found.length > 1 ? `More than one hook begins with ${id}: ${known}.` : `There is no hook ${id}. Hooks: ${known}.`,
  )
}

const idOf = ({ hash }: HookView) => hash.slice(0, 8)

const titleOf = ({ event, matcher }: HookView) => (matcher === null ? event : `${event} ${matcher}`)

const states: Readonly<Record<HookView['state'], readonly [word: string, tone: Tone]>> = {
  ...{ on: ['on', 'good'], off: ['off', 'dim'], waits: ['waits for you', 'warn'] },
}

/** One hook is two lines, so that what it runs is read whole before it is approved. */
function linesOf({ hooks: all }: HookListView): readonly Line[] {
  if (all.length === 0) return [lineOf('No hooks are defined.')]
  const isWaiting = waiting(all).length > 0
  return [
    ...all.flatMap((hook): readonly Line[] => {
      const [word, tone] = states[hook.state]
      const { condition, file, problem, command } = hook
      const about = [condition === null ? '' : ` if ${condition}`, `  ${whereOf(hook)}, ${file}`].join('')
      const name = { text: `  ${titleOf(hook)}`, tone: 'strong' } as const
      return [
        [{ text: idOf(hook), tone: 'dim' }, name, { text: about, tone: 'dim' }, ...lineOf(`  ${word}`, tone)],
        ...indented(command),
        ...(problem === null ? [] : indented(`Last time: ${problem}`, 'bad')),
      ]
    }),
    ...(isWaiting ? [lineOf(''), lineOf('--approve ID lets a hook that waits run, once you read what it runs.')] : []),
  ]
}

const indent = ' '.repeat(10)

/** No part of a text of the folder begins where an id stands. */
function indented(text: string, tone: Tone = 'plain'): readonly Line[] {
  const { output, environment } = terminal()
  const room = Math.max(readScreen(output, environment).columns() - indent.length, 20)
  return wrapLine(lineOf(text, tone), room).map((row) => [{ text: indent }, ...row])
}

const whereOf = ({ where }: HookView) => (where === 'machine' ? 'on this machine' : 'in the sandbox')

function rowOf(hook: HookView): object {
  const { event, matcher, condition, command, source, file, where, state, problem, timeoutMs } = hook
  const facts = { id: idOf(hook), hash: hook.hash, event, matcher, if: condition, command, source, file, where, state }
  return { ...facts, problem, timeout_ms: timeoutMs }
}
