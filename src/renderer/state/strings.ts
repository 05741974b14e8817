import { agentStrings } from './strings/agents.ts'
import { approvalStrings } from './strings/approvals.ts'
import { batchStrings } from './strings/batches.ts'
import { branchStrings } from './strings/branches.ts'
import { changeStrings } from './strings/changes.ts'
import { chatStrings } from './strings/chat.ts'
import { commonStrings } from './strings/common.ts'
import { contextStrings } from './strings/context.ts'
import { doctorStrings } from './strings/doctor.ts'
import { driftStrings } from './strings/drift.ts'
import { extensionStrings } from './strings/extensions.ts'
import { fileStrings } from './strings/files.ts'
import { historyStrings } from './strings/history.ts'
import { homeStrings } from './strings/home.ts'
import { mcpStrings } from './strings/mcp.ts'
import { memoryStrings } from './strings/memory.ts'
import { notificationStrings } from './strings/notifications.ts'
import { reviewStrings } from './strings/review.ts'
import { rewindStrings } from './strings/rewind.ts'
import { settingsStrings } from './strings/settings.ts'
import { settingsFileStrings } from './strings/settings-file.ts'
import { shellStrings } from './strings/shell.ts'
import { storageStrings } from './strings/storage.ts'
import { terminalStrings } from './strings/terminal.ts'
import { threadStrings } from './strings/threads.ts'

/** Every word the app shows, in English. Names of controls are an interface: tests and screen readers rely on them. */
export const strings = {
  common: commonStrings,
  shell: shellStrings,
  home: homeStrings,
  chat: chatStrings,
  approvals: approvalStrings,
  agents: agentStrings,
  batches: batchStrings,
  branches: branchStrings,
  changes: changeStrings,
  doctor: doctorStrings,
  drift: driftStrings,
  context: contextStrings,
  extensions: extensionStrings,
  files: fileStrings,
  history: historyStrings,
  mcp: mcpStrings,
  memory: memoryStrings,
  notifications: notificationStrings,
  review: reviewStrings,
  rewind: rewindStrings,
  settings: settingsStrings,
  settingsFile: settingsFileStrings,
  storage: storageStrings,
  threads: threadStrings,
  terminal: terminalStrings,
} as const
