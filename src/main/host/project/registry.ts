import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { sync as writeFileAtomic } from 'write-file-atomic'
import { z } from 'zod'
import { readBounded } from '#adapters/system/read-bounded.ts'
import type { ProjectSummary, RecentProject } from '#shared/contract/views/projects.ts'

const summary = z.object({
  lastTask: z.string().nullable(),
  waiting: z.number(),
  working: z.number(),
  costOfWeek: z.number().nullable(),
})

const schema = z.object({
  recent: z
    .array(
      z.object({
        path: z.string(),
        name: z.string(),
        openedAt: z.number(),
        summary: summary.optional(),
        gitHead: z.string().nullable().optional(),
      }),
    )
    .default([]),
  trusted: z.array(z.string()).default([]),
})
type Known = z.infer<typeof schema>

const maxRecent = 20

/** The recently opened folders and the trusted ones. Stored in a small file outside all projects. */
export interface Registry {
  recent(): readonly RecentProject[]
  /** Puts a folder first. `gitHead` is the branch that git has checked out; null without git. */
  remember(path: string, name: string, gitHead: string | null): void
  /** Keeps the checked-out branch. Does nothing for a folder that is not among the recent ones. */
  setGitHead(path: string, gitHead: string | null): void
  forget(path: string): void
  /** Keeps what Home shows of a closed project. Does nothing for one that is not among the recent ones. */
  summarize(path: string, summary: ProjectSummary): void
  isTrusted(path: string): boolean
  setTrusted(path: string, trusted: boolean): void
}

export function createRegistry(file: string, now: () => number): Registry {
  // Read the file before each change, because another window or a run in a terminal may have written it.
  const change = (edit: (known: Known) => Known) => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileAtomic(file, `${JSON.stringify(edit(load(file)), null, 2)}\n`, { mode: 0o600 })
  }
  return {
    recent: () => load(file).recent,
    remember: (path, name, gitHead) =>
      change((known) => ({
        ...known,
        recent: [
          { ...known.recent.find((project) => project.path === path), path, name, gitHead, openedAt: now() },
          ...known.recent.filter((project) => project.path !== path),
        ].slice(0, maxRecent),
      })),
    setGitHead(path, gitHead) {
      const project = load(file).recent.find((one) => one.path === path)
      if (!project || project.gitHead === gitHead) return
      change((known) => ({
        ...known,
        recent: known.recent.map((one) => (one.path === path ? { ...one, gitHead } : one)),
      }))
    },
    forget: (path) =>
      change((known) => ({ ...known, recent: known.recent.filter((project) => project.path !== path) })),
    summarize: (path, found) =>
      change((known) => ({
        ...known,
        recent: known.recent.map((project) => (project.path === path ? { ...project, summary: found } : project)),
      })),
    isTrusted: (path) => load(file).trusted.includes(path),
    setTrusted: (path, trusted) =>
      change((known) => ({
        ...known,
        trusted: [...known.trusted.filter((one) => one !== path), ...(trusted ? [path] : [])],
      })),
  }
}

function load(file: string): Known {
  try {
    return schema.parse(JSON.parse(readBounded(file).toString('utf8')))
  } catch {
    // Missing or damaged. A person can enter all of it again, and an untrusted folder is the safe default.
    return { recent: [], trusted: [] }
  }
}
