import type { Tool } from '../tool.ts'
import { deleteTool, moveTool, writeFileTool } from './change-files.ts'
import { editFileTool, multiEditTool } from './edit-file.ts'
import { globTool, grepTool, lsTool } from './find-files.ts'
import { readFileTool } from './read-file.ts'

/** The tools over files, in the order in which the model sees them. */
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
