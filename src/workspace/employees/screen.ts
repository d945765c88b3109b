import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  employees: {
    icon: 'people',
    columns: ['number', 'name', 'status', 'department_id', 'employment_type', 'email', 'phone', 'hire_date'],
    groups: [
      { title: 'Person', fields: ['name', 'first_name', 'last_name', 'email', 'phone'] },
      { title: 'Employment', fields: ['employment_type', 'department_id', 'hire_date', 'status', 'user_id'] },
    ],
  },
})
