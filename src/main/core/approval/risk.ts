import { namedHosts, type RiskLevel } from '#shared/model/calls/interrupt.ts'
import { type LeftBehind, runsUnnamed } from '#shared/model/calls/outcome.ts'
import { shownName } from '#shared/text/control-characters.ts'
import type { CallAccess, ToolFacts } from '#shared/tools/tool-facts.ts'
import { betweenWords } from './command-words.ts'
import { readCommands } from './read-commands.ts'

/** How much harm a call could do at most, and why, as a person reads it on the card: `sandboxed and offline`. */
export interface Risk {
  readonly risk: RiskLevel
  readonly riskReason: string
}

/** The parts of a call that say what it can reach. */
export interface RiskQuestion {
  readonly tool: Pick<ToolFacts, 'effect'>
  readonly access: Pick<CallAccess, 'command' | 'host'>
  /** Why a person must be asked, whatever settings and rules allow. */
  readonly mustAsk?: string | undefined
  /** A file with a secret that the call reads; null or undefined for none. */
  readonly holdsSecret?: string | null | undefined
  /** As `JudgedCall` has it. */
  readonly replacesSecret?: string | undefined
}

/** Commands whose purpose is to change something that is not on this machine, and that no undo brings back. */
const outsideEffects: Readonly<Record<string, RegExp>> = {
  git: /^(push|send-email|svn dcommit)\b/,
  npm: /^(publish|unpublish|deprecate|dist-tag|owner|access|login|adduser)\b/,
  pnpm: /^publish\b/,
  yarn: /^(npm )?publish\b/,
  cargo: /^(publish|yank|owner|login)\b/,
  twine: /^upload\b/,
  gem: /^(push|yank)\b/,
  docker: /^(push|login|run|compose|exec)\b/,
  podman: /^(push|login|run|exec)\b/,
  gh: /./,
  glab: /./,
  aws: /./,
  az: /./,
  gcloud: /./,
  kubectl: /^(apply|create|delete|scale|rollout|patch|replace|exec|drain)\b/,
  helm: /^(install|upgrade|uninstall|rollback|push)\b/,
  terraform: /^(apply|destroy|import)\b/,
  ssh: /./,
  scp: /./,
  rsync: /.*\S:/,
  systemctl: /./,
  sudo: /./,
}

/** Options whose value stands in a word of its own, before the subcommand. */
const takesValue = /^(-C|-c|-n|--(namespace|context|git-dir|work-tree|prefix|cwd|dir|profile|region))$/

/** Judges a call by what it can reach. Nothing here decides whether it asks. */
export function riskOf(question: RiskQuestion, sandboxed: boolean): Risk {
  const { tool, access, mustAsk, holdsSecret, replacesSecret } = question
  if (access.command !== null) return riskOfCommand(access.command, sandboxed, mustAsk)
  if (access.host !== undefined)
    return mustAsk === undefined
      ? { risk: 'medium', riskReason: 'it sends this address to somebody else’s server and reads the answer' }
      : { risk: 'high', riskReason: 'it may send a secret to somebody else’s server' }
  if (tool.effect === 'outside') return { risk: 'high', riskReason: 'it acts outside the project' }
  if (tool.effect === 'agents') {
    return mustAsk === undefined
      ? { risk: 'low', riskReason: 'agents work on copies' }
      : { risk: 'medium', riskReason: 'it starts many agents' }
  }
  if (mustAsk !== undefined) return { risk: 'high', riskReason: 'it changes files outside the copy' }
  if (replacesSecret) return { risk: 'medium', riskReason: 'it replaces a file that may hold secrets' }
  if (holdsSecret) return { risk: 'medium', riskReason: 'it reads a file that may hold secrets' }
  return { risk: 'low', riskReason: tool.effect === 'overlay' ? "changes only the agent's copy" : 'changes nothing' }
}

function riskOfCommand(command: string, sandboxed: boolean, mustAsk: string | undefined): Risk {
  if (!sandboxed) return { risk: 'high', riskReason: 'no sandbox, or only a partial one: it may do what you can' }
  const outside = effectOutside(command)
  if (outside !== undefined) return { risk: 'high', riskReason: `it changes something outside: ${outside}` }
  if (mustAsk !== undefined) return { risk: 'high', riskReason: 'it changes files outside the copy' }
  const [host, ...others] = namedHosts(command)
  if (host !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return { risk: 'medium', riskReason: `it names ${host}${more}` }
  }
  return { risk: 'low', riskReason: 'sandboxed and offline' }
}

/** The risk of keeping what a command did: at least medium when later commands would run or obey what it left. */
export function riskOfLeft(risk: RiskLevel, left: LeftBehind | undefined): Partial<Risk> {
  const first = left?.files.find((one) => !one.gone && (runsUnnamed(one) || one.kind === 'program'))
  if (!first || risk !== 'low') return {}
  const more = left && left.count > 1 ? ` and ${left.count - 1} more` : ''
  return { risk: 'medium', riskReason: `later commands may run what it left: ${shownName(first.path)}${more}` }
}

/** The first command of a line that changes something outside, as `git push`; undefined for none. */
export function effectOutside(line: string): string | undefined {
  for (const { text, starts } of readCommands(line).commands) {
    for (const start of starts) {
      const [program = '', ...words] = text.slice(start).split(betweenWords)
      const name = program.split('/').at(-1) ?? program
      const rest = words.filter((word, at) => !word.startsWith('-') && !takesValue.test(words[at - 1] ?? '')).join(' ')
      if (Object.hasOwn(outsideEffects, name) && outsideEffects[name]?.test(rest))
        return [name, ...rest.split(' ').slice(0, 1)].join(' ')
    }
  }
  return undefined
}
