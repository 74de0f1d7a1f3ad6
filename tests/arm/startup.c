/* Vector table and reset of a Cortex-M with a floating-point unit, for QEMU with semihosting. */
extern void _start(void);
__attribute__((naked)) void reset(void) {
  __asm volatile(
      "ldr r0,=0xE000ED88\n ldr r1,[r0]\n orr r1,r1,#(0xF<<20)\n str r1,[r0]\n dsb\n isb\n" /* CPACR: FPU on */
      "b _start\n");
}
static void hang(void) {
  for (;;) {
  }
}
__attribute__((section(".isr_vector"), used)) void* const vectors[16] = {
    (void*)0x203ffff0, (void*)reset, (void*)hang, (void*)hang, (void*)hang, (void*)hang, (void*)hang};
