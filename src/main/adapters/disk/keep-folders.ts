import { type DiskRoot, folderFlags, type OpenedHandle } from './disk-root.ts'

const mostKept = 256

/**
 * The same root with its folder handles kept open until it is disposed: thousands of changes below few folders then
 * check each folder once. What a kept handle names cannot be swapped for anything else meanwhile.
 */
export function keepFolders(root: DiskRoot): DiskRoot & Disposable {
  const kept = new Map<string, OpenedHandle>()
  const closeAll = () => {
    for (const handle of kept.values()) handle[Symbol.dispose]()
    kept.clear()
  }
  return {
    ...root,
    open(path, flags) {
      if (flags !== folderFlags) return root.open(path, flags)
      const known = kept.get(path)
      if (known) return borrowed(known)
      const opened = root.open(path, flags)
      if (opened === 'moved') return opened
      if (kept.size >= mostKept) closeAll()
      kept.set(path, opened)
      return borrowed(opened)
    },
    [Symbol.dispose]: closeAll,
  }
}

function borrowed({ descriptor, path, directory }: OpenedHandle): OpenedHandle {
  return { descriptor, path, directory, [Symbol.dispose]: () => undefined }
}
