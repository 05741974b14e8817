import { join } from 'node:path'

/** Folders outside projects in which a person keeps what all their agents know, the app's own first. */
export interface PersonFolders {
  readonly skills: readonly string[]
  readonly commands: readonly string[]
}

/** Those of the app's data and of other tools' folders in the home. Without a home, the app's alone. */
export function personFolders({ dataFolder, environment }: FoldersOptions): PersonFolders {
  const home = environment.HOME ?? environment.USERPROFILE
  const inHome = (...folders: readonly string[]): readonly string[] =>
    home === undefined || home === '' ? [] : folders.map((folder) => join(home, folder))
  return {
    skills: [join(dataFolder, 'skills'), ...inHome('.agents/skills', '.claude/skills')],
    commands: [join(dataFolder, 'commands'), ...inHome('.claude/commands')],
  }
}

interface FoldersOptions {
  readonly dataFolder: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Where a skill that a person makes in the app is kept. */
export function ownSkillsFolder(dataFolder: string): string {
  return join(dataFolder, 'skills')
}
