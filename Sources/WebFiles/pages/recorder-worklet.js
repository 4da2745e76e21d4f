// Collects the sound of the microphone, on the thread of the sound, and hands it over in pieces of half a second; any message to it asks
// for the last piece, which is shorter.

class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(Math.round(sampleRate / 2));
    this.count = 0;
    this.port.onmessage = () => this.port.postMessage(this.piece.slice(0, this.count));
  }

  /** @param {Float32Array[][]} inputs */
  process([input]) {
    const sound = input?.[0];
    for (let taken = 0; sound && taken < sound.length;) {
      const part = sound.subarray(taken, taken + this.piece.length - this.count);
      this.piece.set(part, this.count);
      this.count += part.length;
      taken += part.length;
      if (this.count < this.piece.length) continue;
      this.port.postMessage(this.piece, [this.piece.buffer]);
      this.piece = new Float32Array(Math.round(sampleRate / 2));
      this.count = 0;
    }
    return true;
  }
}

registerProcessor("recorder", Recorder);
