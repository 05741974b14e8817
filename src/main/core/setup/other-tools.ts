import { rootPath } from '#shared/model/virtual-path.ts'
import type { SetupRecipe } from './setup-folder.ts'
import { commandsIn, copiesOwnFile, inOrder, json, listIn, memberOf, quote, rootVariables, toml } from './tool-files.ts'

/**
 * The setups that a project keeps for other tools, each as the tool's own documentation has it: Conductor, the Codex app,
 * Superset, Cursor, and development containers. They stand in the root alone.
 */
export const otherTools: readonly SetupRecipe[] = [
  inRoot(['conductor.json'], conductor),
  inRoot(['.codex/environments/environment.toml'], codex),
  inRoot(['.superset/config.json'], superset),
  inRoot(['.cursor/worktrees.json'], cursor),
  inRoot(['.devcontainer/devcontainer.json', '.devcontainer.json'], devcontainer),
]

/** Reads the first of the files that sets something up. `find` gives the commands in order, none for no setup. */
function inRoot(files: readonly string[], find: (text: string) => readonly string[]): SetupRecipe {
  return async (folder) => {
    if (folder.path !== rootPath) return undefined
    for (const file of files) {
      const commands = find(await folder.read(file)).filter((command) => !copiesOwnFile(command))
      if (commands.length === 0) continue
      const command = `${await rootVariables(folder, commands)}${inOrder(commands)}`
      return { command, inputs: [file], hosts: [], source: `/${file}` as typeof rootPath }
    }
    return undefined
  }
}

/** `scripts.setup`, which is a command. */
function conductor(text: string): readonly string[] {
  return commandsIn(memberOf(memberOf(json(text), 'scripts'), 'setup'))
}

/** `script` of the table `setup`. */
function codex(text: string): readonly string[] {
  return commandsIn(memberOf(memberOf(toml(text), 'setup'), 'script'))
}

/** `setup` is a list of commands. */
function superset(text: string): readonly string[] {
  return listIn(memberOf(json(text), 'setup'))
}

/** A list of commands, or the path of a script beside the file. That for this kind of system goes first. */
function cursor(text: string): readonly string[] {
  const file = json(text)
  const value = memberOf(file, 'setup-worktree-unix') ?? memberOf(file, 'setup-worktree')
  const script = typeof value === 'string' ? value.trim() : ''
  return script === '' ? listIn(value) : [`bash ${quote(`.cursor/${script.replace(/^\.\//, '')}`)}`]
}

/** The commands of a new container, in the order in which they run. Each is a command, a list of words, or commands by name. */
function devcontainer(text: string): readonly string[] {
  const file = json(text)
  return ['onCreateCommand', 'updateContentCommand', 'postCreateCommand'].flatMap((name) =>
    commandsIn(memberOf(file, name)),
  )
}
