import { type AgentContext, type AvailableCommand, methods } from '@agentclientprotocol/sdk'
import { slashViews } from '#host/extensions/extension-handlers.ts'
import { runChecks } from '#host/headless/run-checks.ts'
import { modelOfThread } from '#host/headless/run-task.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import type { ApplyTarget } from '#shared/contract/views/branches.ts'
import { slashNameIn } from '#shared/model/messages/message-notes.ts'
import { escapeControls } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import { type RunLine, runVerb, type VerbEnd } from '../run-verb.ts'
import { locate } from './updates/call-updates.ts'
import type { Scene } from './updates/scene.ts'
import { fenced } from './updates/shown-text.ts'

/** What a command of a session works with. */
export interface CommandPlace {
  readonly host: Host
  readonly runLine: RunLine
  readonly scene: Scene
  readonly editor: AgentContext
  /** The words after the command. */
  readonly words: readonly string[]
  /** Aborts when the person cancels. */
  readonly signal: AbortSignal
}

interface SessionCommand {
  readonly about: string
  /** What may follow it; absent for nothing. */
  readonly hint?: string
  /** True for one that works before the first message. */
  readonly needsNoThread?: true
  /** Resolves to what the person reads, as Markdown. */
  readonly run: (place: CommandPlace) => Promise<string>
}

/** The commands of a session: the verbs of the command line about its thread, without the thread. */
const commands: Readonly<Record<string, SessionCommand>> = {
  apply: {
    about: "Write the session's changes to the folder, after you have seen the list",
    hint: '[--paths FILE] [--join] [--ours FILE] [--theirs FILE]',
    run: apply,
  },
  diff: {
    about: 'Show what the session or one of its branches changed',
    hint: '[BRANCH] [--stat] [--paths FILE]',
    run: verb('diff'),
  },
  branches: { about: 'List the branches of subagents', run: verb('branches') },
  merge: { about: 'Merge branches into their parent', hint: 'BRANCH… or --all clean', run: verb('merge') },
  discard: { about: 'Drop branches, or some of their files', hint: 'BRANCH… [--paths FILE]', run: verb('discard') },
  checks: { about: "Run the project's checks on the session's changes", hint: '[NAME…]', run: checks },
  undo: { about: 'Take back the last merge, discard, apply, delivery, rewind or change by hand', run: verb('undo') },
  rewind: {
    about: 'List checkpoints, or go back to one',
    hint: '[CHECKPOINT --yes] [--files] [--conversation]',
    run: verb('rewind'),
  },
  deliver: {
    about: 'Make commits of the changes on a branch of git',
    hint: '--to BRANCH [--per todo] [--dry-run]',
    run: verb('deliver'),
  },
  compact: { about: 'Summarise the older part of the conversation', run: compact },
  trust: { about: 'Trust this folder: load its AGENTS.md, skills and servers', needsNoThread: true, run: trust },
}

/** A command as a person typed it. */
export interface GivenCommand {
  readonly command: SessionCommand
  readonly words: readonly string[]
}

/** The command at the beginning of a message, with its words. Null for a message to the agent, which may name a skill. */
export function commandIn(text: string): GivenCommand | null {
  const name = slashNameIn(text)
  if (name === null || !Object.hasOwn(commands, name)) return null
  const command = commands[name]
  const rest = text.trim().slice(name.length + 1)
  const words = [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
  return command ? { command, words } : null
}

/** The commands of a session, and what else a word after a slash means in its project, as an editor lists them. */
export async function availableCommands({ project, root }: Scene): Promise<AvailableCommand[]> {
  const list = await project.extensions.slash()
  const model = modelOfThread(project, root) ?? ''
  const entries = slashViews(project.services, list, model, Object.keys(commands))
  const own = Object.entries(commands).map(([name, { about, hint }]) => ({
    ...{ name, description: about },
    ...(hint !== undefined && { input: { hint } }),
  }))
  const others = entries.map(({ word, description, hint }) => ({
    ...{ name: word, description },
    input: { hint: hint || 'what to do' },
  }))
  return [...own, ...others.filter(({ name }) => !Object.hasOwn(commands, name))]
}

function verb(name: string): SessionCommand['run'] {
  return async ({ host, runLine, scene, words }) => {
    const pager = name === 'diff' ? ['--no-pager'] : []
    return shown(await runVerb(host, runLine, [name, scene.root, ...words, ...pager]), name === 'diff' ? 'diff' : '')
  }
}

/** What a verb printed. What it tells to type next is what a person types here. */
function shown({ output, errors }: VerbEnd, language = ''): string {
  const said = (text: string): string =>
    escapeControls(text)
      .replaceAll(/coppice ([\w-]+) [0-9a-f-]{8,}(?: --data-dir \S+)?/g, '/$1')
      .trimEnd()
  const parts = [
    ...(output.trim() === ''
      ? []
      : [fenced(language === 'diff' && output.startsWith('diff ') ? output : said(output), language)]),
    ...(errors.trim() === '' ? [] : [said(errors)]),
  ]
  return parts.length === 0 ? 'Nothing changed.' : parts.join('\n\n')
}

async function apply({ host, runLine, scene, editor, words, signal }: CommandPlace): Promise<string> {
  const { project, root } = scene
  const plan = async () => {
    const end = await runVerb(host, runLine, ['apply', root, ...words, '--dry-run', '--json'])
    const { files, error } = JSON.parse(end.output || '{}') as { files?: readonly ApplyTarget[]; error?: object }
    return { end, isReady: end.code === 0 && error === undefined, files: files ?? [] }
  }
  const seen = await plan()
  if (!seen.isReady || seen.files.length === 0)
    return shown(await runVerb(host, runLine, ['apply', root, ...words, '--dry-run']))
  const count = plural(seen.files.length, 'file', 'files')
  const list = seen.files.map(({ path, kind }) => `${kind.padEnd(10)}${path}`).join('\n')
  const { outcome } = await editor.request(
    methods.client.session.requestPermission,
    {
      sessionId: root,
      toolCall: {
        ...{ toolCallId: `apply-${Date.now()}`, title: `Apply ${count} to ${project.info().path}`, kind: 'edit' },
        status: 'pending',
        content: [{ type: 'content', content: { type: 'text', text: fenced(list) } }],
        locations: locate(
          project,
          seen.files.map(({ path }) => path),
        ),
      },
      options: [
        { optionId: 'apply', name: `Apply ${count}`, kind: 'allow_once' },
        { optionId: 'leave', name: 'Leave the folder as it is', kind: 'reject_once' },
      ],
    },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  if (outcome.outcome !== 'selected' || outcome.optionId !== 'apply') return 'Nothing was written.'
  const now = await plan()
  if (JSON.stringify(now.files) !== JSON.stringify(seen.files))
    return 'The changes are no longer the ones that you saw, so nothing was written. Look again with /apply.'
  return shown(await runVerb(host, runLine, ['apply', root, ...words]))
}

async function checks({ scene: { project, root }, words, signal }: CommandPlace): Promise<string> {
  const results = await runChecks(project, root, null, words.length === 0 ? null : words, signal)
  if (!results.ok) return results.error
  return results.value
    .map(({ check, outcome, note, output }) => {
      const head = `**${check}**: ${outcome}${note === '' ? '' : `. ${note}`}`
      return outcome === 'green' || output.trim() === ''
        ? head
        : `${head}\n\n${fenced(escapeControls(output).slice(-4_000))}`
    })
    .join('\n\n')
}

async function compact({ host, scene: { project, root } }: CommandPlace): Promise<string> {
  await createDirectClient(host).threads.compact({ projectId: project.info().id, threadId: root })
  await project.runtime.whenIdle(root)
  return ''
}

async function trust({ host, scene, editor }: CommandPlace): Promise<string> {
  const { project } = scene
  const { trusted, wouldLoad, path } = project.info()
  if (trusted) return 'This folder is trusted already.'
  host.projects.setTrusted(project.info().id, true)
  await project.extensions.refresh()
  const update = {
    sessionUpdate: 'available_commands_update',
    availableCommands: await availableCommands(scene),
  } as const
  await editor.notify(methods.client.session.update, { sessionId: scene.root, update })
  return `${path} is trusted from now on.${wouldLoad.length === 0 ? '' : ` Agents of new sessions get: ${wouldLoad.join(', ')}.`}`
}
