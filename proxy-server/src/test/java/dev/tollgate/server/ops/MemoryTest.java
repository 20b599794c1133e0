package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

final class MemoryTest {
  private final PooledByteBufAllocator buffers = new PooledByteBufAllocator(true);
  private final Memory memory = new Memory(buffers);

  @Test
  void garbageDoesNotCount() {
    System.gc();
    double before = memory.heap();
    assertThat(before).isBetween(0.0001, 0.9);

    byte[] kept = new byte[(int) Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 8)];
    System.gc();
    double kepts = (double) kept.length / Runtime.getRuntime().maxMemory();
    assertThat(memory.heap()).isCloseTo(before + kepts, within(kepts / 2));
  }

  @Test
  void onlyBuffersInUseCount() {
    assertThat(memory.direct()).isZero();
    ByteBuf held = buffers.directBuffer(1 << 20);
    assertThat(memory.direct()).isPositive();
    held.release();
    assertThat(memory.direct()).isZero();
  }

  @Test
  void regionsAreKnownWhereTheCollectorHasThem() {
    boolean isG1 =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .anyMatch(bean -> bean.getName().startsWith("G1"));
    if (isG1) {
      assertThat(Memory.heapRegionBytes()).isBetween(1 << 20, 1 << 29);
    } else {
      assertThat(Memory.heapRegionBytes()).isZero();
    }
  }

  @Test
  void onlyReclaimingCollectionsCount() {
    assertThat(Memory.frees("G1 Young Generation")).isTrue();
    assertThat(Memory.frees("Copy")).isTrue();
    assertThat(Memory.frees("ZGC Major Cycles")).isTrue();
    assertThat(Memory.frees("G1 Concurrent GC")).isFalse();
    assertThat(Memory.frees("ZGC Major Pauses")).isFalse();
  }
}
