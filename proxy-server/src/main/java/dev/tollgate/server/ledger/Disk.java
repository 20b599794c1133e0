package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** One directory, as far as the journal needs it: what is not forced may be lost in a crash. */
interface Disk {

  /** A file of the directory, by its name in it. */
  record FileEntry(String name, long bytes, long modifiedMillis) {}

  List<FileEntry> list() throws IOException;

  boolean exists(String name);

  /** Makes a file, or empties the one of that name. */
  File create(String name) throws IOException;

  /** Makes a file of so many zeros, or makes the one of that name so; they are on the disk. */
  File create(String name, int bytes) throws IOException;

  /** Opens a file that is there. */
  File open(String name) throws IOException;

  void rename(String from, String to) throws IOException;

  void delete(String name) throws IOException;

  /** Returns when made, renamed and deleted files will be found so after a crash. */
  void forceDirectory() throws IOException;

  /** Space that files may still take. */
  long usableBytes() throws IOException;

  /** What a message calls a file. */
  String path(String name);

  /** An open file; to be used by one thread at a time, which nobody interrupts. */
  interface File extends AutoCloseable {

    /** Writes all that remains of a buffer. */
    void write(ByteBuffer bytes, long at) throws IOException;

    /** Fills a buffer as far as the file goes. */
    void read(ByteBuffer into, long at) throws IOException;

    long size() throws IOException;

    /** Returns when everything written will be found after a crash. */
    void force() throws IOException;

    @Override
    void close() throws IOException;
  }
}
