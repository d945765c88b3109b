/** Updates employees when users are created and changed. */
import { on } from '#kernel/modules/events.ts'
import { users } from '#workspace/users/public.ts'
import { chooseEmployee, employUser } from './linking.ts'

/** USR-07. */
const employNewUser = on('user.created', async (ctx, { user_id, create_employee }) => {
  if (create_employee) await employUser(ctx, await users.lock(ctx, user_id))
})

const takeChoice = on('user.employee_chosen', (ctx, { user_id, employee_id }) => chooseEmployee(ctx, user_id, employee_id))

export default [employNewUser, takeChoice]
