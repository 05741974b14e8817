import { z } from 'zod'

/** When hooks are asked, in the words of Claude Code, and three moments that only Coppice has. */
export const hookEvents = [
  ...(['PreToolUse', 'PostToolUse', 'PermissionRequest', 'UserPromptSubmit', 'SessionStart', 'SessionEnd'] as const),
  ...(['Stop', 'SubagentStart', 'SubagentStop', 'PreCompact', 'Notification'] as const),
  ...(['BranchMerged', 'BeforeApply', 'BeforeDeliver'] as const),
] as const
export type HookEvent = (typeof hookEvents)[number]

/**
 * Where a hook is written: in the person's settings, in the settings of Claude Code in their home, or in a file of the project that
 * is shared or not. The first two are the person's own.
 */
const hookSources = ['settings', 'home', 'project', 'project_local'] as const
export type HookSource = (typeof hookSources)[number]

/** True for a hook that runs on the machine, as the person. All others run in the sandbox and can only make things stricter. */
export function isPersonal(source: HookSource): boolean {
  return source === 'settings' || source === 'home'
}

/** What one stage said, for people and for what a record shows. `stage` is a program of `middleware`. */
export const stageNote = z.object({
  /** The name of the stage, or the beginning of the hook's command. */
  by: z.string(),
  source: z.enum(['stage', ...hookSources]),
  /** What it wants of that about which it was asked. Absent for nothing. */
  verdict: z.enum(['refuse', 'ask', 'allow']).exactOptional(),
  /** Why, in its own words. */
  reason: z.string().exactOptional(),
  /** It gave the call other arguments, or the result another text. */
  changed: z.enum(['input', 'result']).exactOptional(),
  /** What it says to the person. */
  said: z.string().exactOptional(),
  /** Why it has no answer: it failed, was too slow or talked nonsense. Or why it did not run. */
  problem: z.string().exactOptional(),
})
export type StageNote = Readonly<z.infer<typeof stageNote>>

/** What stages said in a thread at one moment, as its conversation shows it. */
export interface StageNotes {
  readonly moment: string
  readonly notes: readonly StageNote[]
  /** Number of messages before it. */
  readonly after: number
}

/** Most of a thread that are kept to be shown. The journal has all. */
const mostShown = 200

/** What a thread knows of its stages. */
export interface ThreadStages {
  readonly shown: readonly StageNotes[]
  /** The last message of a person that they were asked about. Null before the first. */
  readonly asked: string | null
  /** How often they sent the agent back since the last message of a person. */
  readonly sentBack: number
  /** True once the start of the thread was told to them. */
  readonly began: boolean
  /** Why the run is to end, until the next one starts. Null when it goes on. */
  readonly stop: string | null
}

export const noStages: ThreadStages = { shown: [], asked: null, sentBack: 0, began: false, stop: null }

/** True for what a person should see in the conversation: what only waved something through is left out. */
export function isShown({ verdict, changed, said, problem }: StageNote): boolean {
  return verdict === 'refuse' || verdict === 'ask' || (changed ?? said ?? problem) !== undefined
}

/** The notes with more of them, the oldest left out where there are too many. */
export function withNotes(shown: readonly StageNotes[], more: StageNotes): readonly StageNotes[] {
  const notes = more.notes.filter(isShown)
  return notes.length === 0 ? shown : [...shown.slice(-(mostShown - 1)), { ...more, notes }]
}

/** What a note says, as a sentence for a person. */
export function noteText({ by, verdict, reason, changed, said, problem }: StageNote): string {
  const why = reason ? `: ${reason}` : ''
  const parts = [
    verdict === 'refuse' ? `refused${why}` : verdict === 'ask' ? `asks you${why}` : null,
    changed === 'input'
      ? 'gave the call other arguments'
      : changed === 'result'
        ? 'gave the result another text'
        : null,
    said === undefined || said === reason ? null : `says: ${said}`,
    problem === undefined || problem === reason ? null : `has a problem: ${problem}`,
  ]
  const text = `${by} ${parts.filter((part) => part !== null).join('; it ')}`
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
