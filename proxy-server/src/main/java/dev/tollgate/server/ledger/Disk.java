package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Port to the file operations on the journal's directory. Anything that is not forced may be lost
 * in a crash.
 */
interface Disk {

  /** Name, size in bytes and modification time of a file in the directory. */
  record FileEntry(String name, long bytes, long modifiedMillis) {}

  List<FileEntry> list() throws IOException;

  boolean exists(String name);

  /** Creates a file, or truncates the existing one. */
  File create(String name) throws IOException;

  /** Creates or overwrites a file with {@code bytes} zeros, which are durable when this returns. */
  File create(String name, int bytes) throws IOException;

  /** Opens an existing file for reading. */
  File open(String name) throws IOException;

  void rename(String from, String to) throws IOException;

  void delete(String name) throws IOException;

  /** Makes creations, renames and deletions of files durable. */
  void forceDirectory() throws IOException;

  /** Returns the space that is available to files. */
  long usableBytes() throws IOException;

  /** Returns a file's path for messages. */
  String path(String name);

  /** Open file of the journal, used by one thread at a time, which must not be interrupted. */
  interface File extends AutoCloseable {

    /** Writes the remaining bytes of a buffer. */
    void write(ByteBuffer bytes, long at) throws IOException;

    /** Reads into a buffer until it is full or the file ends. */
    void read(ByteBuffer into, long at) throws IOException;

    long size() throws IOException;

    /** Makes everything written durable. */
    void force() throws IOException;

    @Override
    void close() throws IOException;
  }
}
