// Sound as the engines take it: 16 kHz, mono, 16 bits. Without a microphone.

export const RATE = 16_000;
const CROSSINGS = 16;
const CUTOFF = 0.92;

/** Turns sound of a device's rate into 16 kHz, piece by piece, by a windowed sinc (Hann). */
export class Resampler {
  /** @param {number} rate of the input, in Hz */
  constructor(rate) {
    this.step = rate / RATE;
    const scale = Math.min(1, 1 / this.step) * CUTOFF;
    this.reach = Math.ceil(CROSSINGS / scale);
    this.scale = scale;
    /** Input that is still needed; the first of it is number `start` of all input. */
    this.kept = new Float32Array(this.reach);
    this.start = -this.reach;
    this.position = 0;
  }

  /**
   * Takes input.
   * @param {Float32Array} input
   * @returns {Int16Array} what is complete of the output
   */
  push(input) {
    const all = new Float32Array(this.kept.length + input.length);
    all.set(this.kept);
    all.set(input, this.kept.length);
    const end = this.start + all.length;
    /** @type {number[]} */
    const output = [];
    while (this.position + this.reach < end) {
      output.push(this.at(all, this.position));
      this.position += this.step;
    }
    const first = Math.max(this.start, Math.floor(this.position) - this.reach);
    this.kept = all.slice(first - this.start);
    this.start = first;
    return Int16Array.from(output);
  }

  /** The rest of the output. */
  end() { return this.push(new Float32Array(this.reach)); }

  /** @param {Float32Array} all @param {number} position */
  at(all, position) {
    const middle = Math.floor(position);
    let sum = 0;
    for (let number = middle - this.reach + 1; number <= middle + this.reach; number += 1) {
      const sample = all[number - this.start] ?? 0;
      if (sample === 0) continue;
      const distance = number - position;
      const angle = Math.PI * distance * this.scale;
      const sinc = distance === 0 ? 1 : Math.sin(angle) / angle;
      sum += sample * sinc * this.scale * (0.5 + 0.5 * Math.cos(Math.PI * distance / (this.reach + 1)));
    }
    return Math.max(-32_768, Math.min(32_767, Math.round(sum * 32_767)));
  }
}

/**
 * A WAV file.
 * @param {Int16Array[]} pieces
 * @returns {Blob}
 */
export function wav(pieces) {
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const header = new DataView(new ArrayBuffer(44));
  /** @param {number} at @param {string} text */
  const text = (at, text) => [...text].forEach((letter, index) => header.setUint8(at + index, letter.charCodeAt(0)));
  text(0, "RIFF");
  header.setUint32(4, 36 + bytes, true);
  text(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, RATE, true);
  header.setUint32(28, RATE * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  text(36, "data");
  header.setUint32(40, bytes, true);
  return new Blob([header.buffer, ...pieces.map((piece) => /** @type {BlobPart} */ (piece))], { type: "audio/wav" });
}
