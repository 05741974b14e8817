import type { SetupState } from '#shared/model/setup.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { ShellOutcome } from '../ports/shell.ts'

/** Lines of output that a person or an agent is shown of a setup that failed or runs. */
export const shownLines = 8

/** The last lines of an output that are not empty. */
export function lastLines(output: string): readonly string[] {
  const lines = output.split(/\r?\n|\r/).filter((line) => line.trim() !== '')
  return lines.slice(-shownLines).map((line) => beginningOf(line, 500))
}

const asksForAnswer =
  /password|passphrase|username|terminal prompts disabled|a terminal is required|not a tty|\/dev\/tty|\[y\/n\]|ok to proceed/i

/** Why a setup that ran to an end left nothing, with the next step. Null for one that succeeded. */
export function failureOf(outcome: ShellOutcome, timeoutMs: number): string | null {
  const { endedBy, exitCode, signal, output, reached } = outcome
  if (endedBy === 'time')
    return `It did not end within ${timeText(timeoutMs)}, so it was ended. ${answerHint(output)}If it needs longer, raise environment.timeout_minutes in the settings.`
  if (endedBy === 'disk')
    return `${reached ?? 'It filled the disk'}; it was ended. Free some space, or raise the limit in the settings, and try again.`
  if (endedBy !== 'itself')
    return `${reached ?? 'It reached a limit'}; it was ended. Raise the limit in the settings, or change the command, and try again.`
  if (exitCode === 0) return null
  const end = exitCode === null ? `It was ended by signal ${signal}.` : `It ended with exit code ${exitCode}.`
  return [end, reached ? `${reached}.` : answerHint(output).trim(), hostsHint(outcome)].filter(Boolean).join(' ')
}

function answerHint(output: string): string {
  const lines = lastLines(output)
  if (lines.length === 0) return 'It printed nothing. It cannot ask anybody for an answer, because it has no terminal. '
  if (!asksForAnswer.test(lines.join('\n'))) return ''
  return 'It seems to have asked for an answer, such as a password, but nobody can give one while it runs. Change the command so that it does not ask. '
}

function hostsHint({ denied }: ShellOutcome): string {
  const hosts = [...new Set(denied.filter((one) => /^[\w.-]+:\d+$/.test(one)).map((one) => one.replace(/:443$/, '')))]
  if (hosts.length === 0) return ''
  return `It may not reach ${hosts.slice(0, 5).join(', ')}. If it should, add ${hosts.length === 1 ? 'this host' : 'these hosts'} to its setup.`
}

function timeText(milliseconds: number): string {
  const [count, unit] = milliseconds < 60_000 ? [milliseconds / 1000, 'second'] : [milliseconds / 60_000, 'minute']
  const rounded = Math.round(count * 10) / 10
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`
}

/** Why an agent's command finds another environment than the one before it. */
export type SetupNews = 'began' | 'newer' | 'lost' | 'kept' | 'failed'

/** What an agent reads with the result of a command about the setup of the project. */
export function setupNote(news: SetupNews, state: SetupState): string | null {
  if (state.kind === 'failed')
    return `The project’s setup (${commandText(state.command)}) failed, so this command ran without what it makes. ${state.reason} Its last lines:\n${state.lines.join('\n') || '(none)'}\nInstall what you need yourself, or ask the user to correct the setup.`
  if (state.kind !== 'ready') return null
  const made = `The project’s setup (${commandText(state.command)})`
  switch (news) {
    case 'began':
      return `${made} ran before your commands, so what it installs is there.${droppedText(state)}`
    case 'newer':
      return `${made} ran again, because one of its inputs or the setup itself changed. Your commands find the new result.${droppedText(state)}`
    case 'lost':
      return `What ${lower(made)} had left was gone from the disk, so it ran again. What your own commands had added to it is gone.${droppedText(state)}`
    case 'kept':
      return `${made} changed. Your commands left files of their own on top of an older result, so you keep that one. If you need the new one, run the setup’s command yourself.`
    default:
      return null
  }
}

function droppedText({ dropped, droppedCount }: Extract<SetupState, { kind: 'ready' }>): string {
  if (droppedCount === 0) return ''
  const more = droppedCount > dropped.length ? ` and ${droppedCount - dropped.length} more` : ''
  return ` It also changed files that no .gitignore names; these changes were dropped: ${dropped.map(shownName).join(', ')}${more}.`
}

const commandText = (command: string): string => `\`${shownName(beginningOf(command, 200))}\``
const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
