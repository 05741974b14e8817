import { EditorError, editorOfFolder, type FolderEditor, openFolderInEditor } from '#adapters/programs/open-editor.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'

type Machine = Pick<HostParts, 'settings' | 'options'>

export interface EditorWish {
  readonly folder: string
  /** The project's folder, in which no editor is looked for. Null for a workspace without one. */
  readonly rootFolder: string | null
  /** Null for the usual one. */
  readonly editor: string | null
}

/** How a folder is opened from a terminal. Throws a refusal. */
export function findEditor(
  machine: Machine,
  wish: EditorWish,
  environment: NodeJS.ProcessEnv,
): FolderEditor | { readonly shellLine: string } {
  const inTerminal = environment.VISUAL || environment.EDITOR || null
  return refusing(() => editorOfFolder({ ...requestOf(machine, wish), inTerminal }))
}

/** Starts an editor with a window of its own. Throws a refusal. */
export async function startEditor(machine: Machine, wish: EditorWish): Promise<void> {
  await refusing(() => openFolderInEditor(requestOf(machine, wish))).catch(throwRefusal)
}

function requestOf({ settings, options }: Machine, { folder, rootFolder, editor }: EditorWish) {
  return {
    ...{ folder, editor, rootFolder: rootFolder ?? folder },
    wanted: settings.read().editor,
    path: options.environment.PATH ?? '',
  }
}

function refusing<Result>(find: () => Result): Result {
  try {
    return find()
  } catch (error) {
    return throwRefusal(error)
  }
}

function throwRefusal(error: unknown): never {
  throw error instanceof EditorError ? new WireError('REFUSED', error.message) : error
}
