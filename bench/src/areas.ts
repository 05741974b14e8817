interface Area {
  /** What it measures, for the help. */
  readonly about: string
  /** The parts that can be measured again alone, in the order of a whole run. Empty when there are none. */
  readonly parts: readonly string[]
}

/** What `npm run bench` can measure. The help, the check of its arguments and the file of each area follow this list. */
export const areas = {
  workspace: {
    about: 'the workspace engine (goals 1–4, 8, 9 and 18); open with it',
    parts: [
      ...['forks', 'memory', 'searches', 'large-searches', 'huge-searches'],
      ...['reads', 'patches', 'merges', 'growth', 'blocking'],
    ],
  },
  agent: {
    about: 'batches, the loop itself, repeated input, streamed replies (goals 10, 11, 19)',
    parts: ['loop', 'batches', 'many', 'prefix', 'replies'],
  },
  run: {
    about: 'code that agents run, mounts for commands (goals 12 and 13)',
    parts: ['code', 'views', 'places', 'environments'],
  },
  store: {
    about: 'the database: bytes, steps, reading back, searching, a long history (goals 5–7 and 18)',
    parts: ['bytes', 'steps', 'reading', 'waiting', 'searching', 'history'],
  },
  open: { about: 'a folder of 100,000 files (goal 14)', parts: [] },
  window: {
    about: 'the window while models write, and with long threads (goals 16 and 17)',
    parts: ['streaming', 'first-look', 'opening', 'graphs', 'handling', 'memory', 'reviews', 'history', 'family'],
  },
  watch: { about: 'the files on disk that agents touched', parts: ['touched', 'large-folder'] },
  agents: {
    about: 'the same job for Coppice, Claude Code and OpenCode, over a scripted model',
    parts: ['steps', 'long', 'twelve', 'external'],
  },
  deliver: { about: 'changes as a commit on a branch, beside git fast-import and a worktree', parts: [] },
  race: { about: 'twelve agents on branches, and the same work with git worktree', parts: [] },
  start: {
    about: 'the command line, the web frontend and the memory of an idle host (goal 15)',
    parts: [],
  },
} as const satisfies Readonly<Record<string, Area>>

export type AreaName = keyof typeof areas

/** A part of an area that can be measured alone. */
export type PartOf<Name extends AreaName> = (typeof areas)[Name]['parts'][number]

/** The parts of an area by their names; a plain list of texts, because any text may be looked up in it. */
export function partsOf(area: AreaName): readonly string[] {
  return areas[area].parts
}
