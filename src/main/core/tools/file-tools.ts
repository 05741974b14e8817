import { deleteTool } from './delete.ts'
import { editFileTool } from './edit-file.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { lsTool } from './ls.ts'
import { moveTool } from './move.ts'
import { multiEditTool } from './multi-edit.ts'
import { readFileTool } from './read-file.ts'
import type { Tool } from './tool.ts'
import { writeFileTool } from './write-file.ts'

/** The tools over files, in the order the model sees them. */
export const fileTools: readonly Tool[] = [
  lsTool,
  readFileTool,
  writeFileTool,
  editFileTool,
  multiEditTool,
  deleteTool,
  moveTool,
  globTool,
  grepTool,
]
