import { defineDemo } from '#kernel/modules/demo.ts'
export default defineDemo({
  async fill() {
    return 0
  },
})
