export type { Rule, Rules } from './rule.ts'

import { accountRules } from './account.ts'
import { emailRules } from './email.ts'
import { leadRules } from './leads.ts'
import { platformRules } from './platform.ts'
import { rootRules } from './root.ts'
import type { Rules } from './rule.ts'
import { workspaceRules } from './workspace.ts'

export const rules: Rules = { ...accountRules, ...workspaceRules, ...leadRules, ...emailRules, ...platformRules, ...rootRules }
