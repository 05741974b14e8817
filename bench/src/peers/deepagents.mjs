// Searches a folder and reads files with the file backend of deepagents. Answers with the number of results.
import { FilesystemBackend } from 'deepagents'
import { serve } from './serve.mjs'

serve(async ({ folder, literal, files }) => {
  const backend = new FilesystemBackend({ rootDir: folder, virtualMode: true })
  if (literal !== undefined) return (await backend.grep(literal)).matches.length
  let read = 0
  for (const file of files) if (typeof (await backend.read(file)).content === 'string') read += 1
  return read
})
